// SPDX-License-Identifier: Apache-2.0

package linkrule

import (
	"strings"
	"sync/atomic"

	"github.com/zeebo/xxh3"
)

const (
	rememberedNames = 4096
	// longestName is the longest name that is remembered, to bound the memory of all names.
	longestName = 256
)

// Names finds the stages that a span's name and kind fit. It remembers names, because most
// telemetry has few. A new name replaces another. It is safe for concurrent use.
type Names struct {
	Stages []*Stage
	places [rememberedNames]atomic.Pointer[name]
}

type name struct {
	text   string
	kind   uint8
	stages []*Stage
}

// Fits returns the stages that a span's name and kind fit.
func (n *Names) Fits(text string, kind uint8) []*Stage {
	if len(text) > longestName {
		return n.match(text, kind)
	}
	place := &n.places[(xxh3.HashString(text)+uint64(kind))%rememberedNames]
	if known := place.Load(); known != nil && known.kind == kind && known.text == text {
		return known.stages
	}
	// A copy: the text may be part of a whole batch.
	known := &name{strings.Clone(text), kind, n.match(text, kind)}
	place.Store(known)
	return known.stages
}

func (n *Names) match(text string, kind uint8) []*Stage {
	var fit []*Stage
	for _, s := range n.Stages {
		if (s.kind == 0 || s.kind == kind) && (len(s.SpanName) == 0 || s.SpanName.Match(text)) {
			fit = append(fit, s)
		}
	}
	return fit
}
