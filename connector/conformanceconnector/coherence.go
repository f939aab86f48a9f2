package conformanceconnector

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// sweep judges the traces that have waited enough.
func (s *state) sweep(now time.Time) {
	j := judge{state: s, now: now}
	var ended []waitingTrace
	for shard := range windowShards {
		ended = s.window.ended(shard, now, ended[:0])
		j.judge(ended)
	}
	s.window.widen(now)
}

// judge judges traces, one after another.
type judge struct {
	*state
	now     time.Time
	index   traceIndex
	parents []int
}

func (j *judge) judge(traces []waitingTrace) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	for i := range traces {
		j.trace(&traces[i])
	}
}

// trace says how the spans of one trace hang together. A trace without some of its
// spans is not judged: what is missing of it was not lost by whoever sent it.
func (j *judge) trace(t *waitingTrace) {
	known := &j.index
	known.build(t.spans)
	spans := known.spans
	if t.cut {
		for i := range spans {
			spans[i].verdict.scope.service.unjudged.Add(1)
		}
		return
	}
	parents := j.parents[:0]
	var svc *service
	var judged, roots int64
	for i := range spans {
		span := &spans[i]
		if of := span.verdict.scope.service; of != svc {
			svc.judged(judged, roots)
			svc, judged, roots = of, 0, 0
		}
		judged++
		parent := noParent
		if span.parent.IsEmpty() {
			roots++
		} else if at, ok := known.find(span.parent); !ok || at == i {
			j.incoherent(ruleMissingParent, t.id, span)
		} else {
			parent = at
			if r := j.times(&spans[parent], span); r != nil {
				j.incoherent(r, t.id, span)
			}
		}
		parents = append(parents, parent)
	}
	svc.judged(judged, roots)
	j.parents = parents
	j.walked(t.id, spans, parents, j.now)
	if unknown := j.graph.add(spans, parents, j.now); unknown > 0 {
		j.refuse(limitComponents, unknown)
	}
}

// judged counts spans that were judged, roots among them. Of no service there are none.
func (s *service) judged(spans, roots int64) {
	if spans == 0 {
		return
	}
	s.spans.Add(spans)
	if roots > 0 {
		s.roots.Add(roots)
	}
}

const noParent = -1

// traceIndex finds the spans of one trace by their ids.
type traceIndex struct {
	spans []waiting // without those that were delivered twice
	// slots are the places of many spans, counted from 1, each where its hash says or in
	// the next free slot. A power of two, and none for few.
	slots []int32
}

// fewSpans are found faster by looking at all.
const fewSpans = 16

// build finds the spans of another trace, in their own place.
func (x *traceIndex) build(spans []waiting) {
	x.spans, x.slots = spans[:0], x.slots[:0]
	if len(spans) > fewSpans {
		slots := 2 << bits.Len(uint(len(spans)))
		x.slots = slices.Grow(x.slots, slots)[:slots]
		clear(x.slots)
	}
	for i := range spans {
		if _, ok := x.find(spans[i].id); ok && !spans[i].id.IsEmpty() {
			continue
		}
		at := len(x.spans)
		x.spans = spans[:at+1]
		if at != i {
			x.spans[at] = spans[i]
		}
		if len(x.slots) > 0 {
			*x.slot(spanNumber(x.spans[at].id)) = int32(at + 1)
		}
	}
}

func (x *traceIndex) find(id pcommon.SpanID) (at int, ok bool) {
	number := spanNumber(id)
	if len(x.slots) > 0 {
		at = int(*x.slot(number)) - 1
		return at, at >= 0
	}
	for i := range x.spans {
		if spanNumber(x.spans[i].id) == number {
			return i, true
		}
	}
	return 0, false
}

// slot is that of a span, or the free one where it belongs.
func (x *traceIndex) slot(number uint64) *int32 {
	for at := mix(number); ; at++ {
		slot := &x.slots[at%uint64(len(x.slots))]
		if *slot == 0 || spanNumber(x.spans[*slot-1].id) == number {
			return slot
		}
	}
}

// spanNumber is an id as what is compared fastest.
func spanNumber(id pcommon.SpanID) uint64 { return binary.NativeEndian.Uint64(id[:]) }

// incoherent counts a finding about a span, under the name that it should have.
func (s *state) incoherent(r *rule, trace pcommon.TraceID, span *waiting) {
	s.found(s.findings.row(rowKey{
		rule: r, kind: kindSpan, service: span.verdict.scope.service, system: span.verdict.system.Name(), original: span.verdict.decided,
	}), trace)
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
