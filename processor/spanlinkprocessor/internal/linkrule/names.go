// SPDX-License-Identifier: Apache-2.0

package linkrule

import (
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/namecache"
)

// Names finds the stages that a span's name and kind fit. It remembers names, because most telemetry has few. It is
// safe for concurrent use.
type Names struct {
	Stages []*Stage
	known  namecache.Cache[name, []*Stage]
}

type name struct {
	text string
	kind uint8
}

// NewNames returns the names of stages.
func NewNames(stages []*Stage) *Names {
	return &Names{stages, namecache.New[name, []*Stage]()}
}

// Fits returns the stages that a span's name and kind fit.
func (n *Names) Fits(text string, kind uint8) []*Stage {
	if stages, ok := n.known.Get(name{text, kind}); ok {
		return stages
	}
	stages := n.match(text, kind)
	if len(text) > namecache.MaxLength {
		return stages
	}
	// A copy: the text may be part of a whole batch.
	return n.known.Put(name{strings.Clone(text), kind}, len(text), stages)
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
