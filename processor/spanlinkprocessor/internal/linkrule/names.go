package linkrule

import (
	"strings"
	"sync/atomic"

	"github.com/zeebo/xxh3"
)

const (
	rememberedNames = 4096
	// longestName is the longest that is remembered, so that all together stay small.
	longestName = 256
)

// Names finds the stages that a span's name and kind fit. It remembers names: good
// telemetry has few. A new one takes the place of another. It is safe for
// concurrent use.
type Names struct {
	Stages []*Stage
	places [rememberedNames]atomic.Pointer[name]
}

type name struct {
	text   string
	kind   uint8
	stages []*Stage
}

// Fits returns the stages whose names and kinds the span's are among.
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
