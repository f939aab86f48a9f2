package spanlinkprocessor

import (
	"strings"
	"sync/atomic"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	rememberedNames = 4096
	// longestName is the longest that is remembered, so that all together stay small.
	longestName = 256
)

// names says which stages a span's name and kind fit. It remembers names, of which there
// are few in good telemetry; one that is new takes the place of another. It is safe for
// concurrent use.
type names struct {
	stages []*stage
	places [rememberedNames]atomic.Pointer[name]
}

type name struct {
	text   string
	kind   ptrace.SpanKind
	stages []*stage
}

// fits returns the stages whose names and kinds the span's are among.
func (n *names) fits(text string, kind ptrace.SpanKind) []*stage {
	if len(text) > longestName {
		return n.match(text, kind)
	}
	place := &n.places[(xxh3.HashString(text)+uint64(kind))%rememberedNames]
	if known := place.Load(); known != nil && known.kind == kind && known.text == text {
		return known.stages
	}
	// A copy, for the text may be a part of a whole batch's.
	known := &name{strings.Clone(text), kind, n.match(text, kind)}
	place.Store(known)
	return known.stages
}

func (n *names) match(text string, kind ptrace.SpanKind) []*stage {
	var fit []*stage
	for _, s := range n.stages {
		if (s.kind == ptrace.SpanKindUnspecified || s.kind == kind) && (len(s.SpanName) == 0 || s.SpanName.Match(text)) {
			fit = append(fit, s)
		}
	}
	return fit
}
