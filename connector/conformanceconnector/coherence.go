package conformanceconnector

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// sweep judges the traces that have waited enough.
func (s *state) sweep(now time.Time) {
	ended := s.window.ended(now)
	if len(ended) == 0 {
		return
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, t := range ended {
		s.judge(t, now)
	}
}

// judge says how the spans of one trace hang together. A trace without some of its
// spans is not judged: what is missing of it was not lost by whoever sent it.
func (s *state) judge(t *waitingTrace, now time.Time) {
	known := newTraceIndex(t.spans)
	spans := known.spans
	if t.cut {
		for i := range spans {
			spans[i].verdict.scope.service.unjudged.Add(1)
		}
		return
	}
	parents := make([]int, len(spans))
	for i := range spans {
		span := &spans[i]
		svc := span.verdict.scope.service
		svc.spans.Add(1)
		parent, ok := known.find(span.parent)
		switch {
		case span.parent.IsEmpty():
			parent = noParent
			svc.roots.Add(1)
		case !ok || parent == i:
			parent = noParent
			s.incoherent(ruleMissingParent, t.id, span)
		default:
			if r := s.times(&spans[parent], span); r != nil {
				s.incoherent(r, t.id, span)
			}
		}
		parents[i] = parent
	}
	s.walked(t.id, spans, parents, now)
}

const noParent = -1

// traceIndex finds the spans of one trace by their ids.
type traceIndex struct {
	spans []waiting // without those that were delivered twice
	at    map[pcommon.SpanID]int
}

// fewSpans are found faster by looking at all.
const fewSpans = 16

func newTraceIndex(spans []waiting) traceIndex {
	x := traceIndex{spans: spans[:0]}
	if len(spans) > fewSpans {
		x.at = make(map[pcommon.SpanID]int, len(spans))
	}
	for _, span := range spans {
		if _, ok := x.find(span.id); ok {
			continue
		}
		if x.at != nil {
			x.at[span.id] = len(x.spans)
		}
		x.spans = append(x.spans, span)
	}
	return x
}

func (x *traceIndex) find(id pcommon.SpanID) (at int, ok bool) {
	if x.at != nil {
		at, ok = x.at[id]
		return at, ok
	}
	for i := range x.spans {
		if x.spans[i].id == id {
			return i, true
		}
	}
	return 0, false
}

// incoherent counts a finding about a span, under the name that it should have.
func (s *state) incoherent(r *rule, trace pcommon.TraceID, span *waiting) {
	found := s.findings.row(rowKey{
		rule: r, kind: kindSpan, service: span.verdict.scope.service, system: span.verdict.system.Name(), original: span.verdict.decided,
	}, nil)
	found.seen(1, trace)
	if found.service == nil {
		s.refuse(limitFindings, 1)
	}
}

// times compares when a span was under way with when its parent was, and returns the
// rule that it breaks, or nil. Who is asked to do something later need not be done
// before whoever asked is, so that ends of consumers say nothing.
func (s *state) times(parent, span *waiting) *rule {
	tolerance := int64(s.config.Tolerance)
	if parent.kind == ptrace.SpanKindClient && span.kind == ptrace.SpanKindServer &&
		parent.verdict.scope.service != span.verdict.scope.service {
		least, most, ok := clockOffset(parent, span)
		if ok {
			if !s.skews.add(parent.verdict.scope.service, span.verdict.scope.service, least, most) {
				s.refuse(limitSkews, 1)
			}
			if least > tolerance || most < -tolerance {
				return ruleClockSkew
			}
			return nil
		}
	}
	switch {
	case span.start < parent.start-tolerance:
		return ruleStartsBefore
	case span.end-tolerance > parent.end && span.kind != ptrace.SpanKindConsumer && parent.kind != ptrace.SpanKindProducer:
		return ruleEndsAfter
	}
	return nil
}

// clockOffset is by how much the server's clock can be ahead of the client's: a call
// cannot begin at the server before it does at the client, nor end after. It is not ok
// where no offset explains the times, because the server took longer than the client.
func clockOffset(client, server *waiting) (least, most int64, ok bool) {
	least, most = server.end-client.end, server.start-client.start
	return least, most, least <= most
}
