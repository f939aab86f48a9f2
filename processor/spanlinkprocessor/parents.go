package spanlinkprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// parents are the parents of a batch's spans. They are looked at only when two spans of
// one trace share a key, which is rare.
type parents struct {
	batch *ptrace.Traces            // nil: there is none
	known map[spanID]pcommon.SpanID // nil: nobody has asked
}

type spanID struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

// maxGenerations is how far up ancestors are looked for.
const maxGenerations = 128

// keepsApart tells whether a rule does not link two spans since they are of one trace.
func (p *parents) keepsApart(r *rule, a, b *correlation.Member, members []correlation.Member) bool {
	if a.TraceID != b.TraceID {
		return false
	}
	switch r.SameTrace {
	case conventions.SameTraceAlways:
		return false
	case conventions.SameTraceNever:
		return true
	default:
		return p.isAncestor(a, b, members) || p.isAncestor(b, a, members)
	}
}

// isAncestor tells whether a is known to be above b: through the spans of the batch and
// the members of the key.
func (p *parents) isAncestor(a, b *correlation.Member, members []correlation.Member) bool {
	id := b.ParentSpanID
	for range maxGenerations {
		switch {
		case id.IsEmpty():
			return false
		case id == a.SpanID:
			return true
		}
		id = p.parentOf(spanID{a.TraceID, id}, members)
	}
	return false
}

func (p *parents) parentOf(id spanID, members []correlation.Member) pcommon.SpanID {
	if p.known == nil {
		p.read()
	}
	if parent, ok := p.known[id]; ok {
		return parent
	}
	for i := range members {
		if m := &members[i]; m.SpanID == id.span && m.TraceID == id.trace {
			return m.ParentSpanID
		}
	}
	return pcommon.SpanID{}
}

func (p *parents) read() {
	p.known = map[spanID]pcommon.SpanID{}
	if p.batch == nil {
		return
	}
	for _, rs := range p.batch.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				p.known[spanID{span.TraceID(), span.SpanID()}] = span.ParentSpanID()
			}
		}
	}
}
