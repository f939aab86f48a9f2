package conformanceconnector

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
)

const (
	// batchSpans and batchTraces are how many spans and traces are gathered.
	batchSpans  = 1024
	batchTraces = 256
	batchSlots  = 2 * batchTraces
)

// spanBatch gathers the spans of a batch by their traces, so that what a trace costs is
// paid once for its spans that came together.
type spanBatch struct {
	spans  []waiting
	next   []int32 // the span of the same trace that comes after it
	traces []traceSpans
	last   *traceSpans
	other  pcommon.TraceID           // the last that is not judged
	shards [windowShards]*traceSpans // the traces of each
	// slots find a trace: the numbers of traces, counted from 1, each where its hash says
	// or in the next free slot.
	slots [batchSlots]uint16
}

// traceSpans are the spans of one trace in a batch, first to last.
type traceSpans struct {
	*spanBatch
	id          pcommon.TraceID
	hash        uint64
	first, last int32
	count       int
	slot        uint16
	sameShard   *traceSpans   // another trace
	known       *waitingTrace // for the window
	settled     bool          // by the window
}

func newSpanBatch() *spanBatch {
	return &spanBatch{spans: make([]waiting, 0, batchSpans), next: make([]int32, batchSpans), traces: make([]traceSpans, 0, batchTraces)}
}

// full tells that there may be no room for another span.
func (b *spanBatch) full() bool { return len(b.spans) == batchSpans || len(b.traces) == batchTraces }

// trace returns the trace that a span is of, or nil if it is not one of those that are
// judged. There must be room for it.
func (b *spanBatch) trace(id pcommon.TraceID, of *sampling) *traceSpans {
	if b.last != nil && b.last.id == id {
		return b.last
	}
	if of.halvings > 0 && b.other == id {
		return nil
	}
	hash := hashTrace(id)
	if !of.chosen(hash) {
		b.other = id
		return nil
	}
	b.last = b.find(id, hash)
	return b.last
}

// add adds a span to its trace.
func (t *traceSpans) add(span waiting) {
	b := t.spanBatch
	at := int32(len(b.spans))
	b.spans = append(b.spans, span)
	if t.count == 0 {
		t.first = at
	} else {
		b.next[t.last] = at
	}
	t.last = at
	t.count++
}

// find finds a trace, or adds it.
func (b *spanBatch) find(id pcommon.TraceID, hash uint64) *traceSpans {
	slot := hash >> 40 % batchSlots
	for b.slots[slot] != 0 {
		if t := &b.traces[b.slots[slot]-1]; t.id == id {
			return t
		}
		slot = (slot + 1) % batchSlots
	}
	shard := &b.shards[hash>>32%windowShards]
	b.traces = append(b.traces, traceSpans{spanBatch: b, id: id, hash: hash, slot: uint16(slot), sameShard: *shard})
	b.slots[slot] = uint16(len(b.traces))
	*shard = &b.traces[len(b.traces)-1]
	return *shard
}

// empty makes room.
func (b *spanBatch) empty() {
	for i := range b.traces {
		b.slots[b.traces[i].slot] = 0
	}
	clear(b.spans)
	clear(b.shards[:])
	b.spans, b.traces, b.last, b.other = b.spans[:0], b.traces[:0], nil, pcommon.TraceID{}
}

// appendTo appends the first spans of a trace.
func (t *traceSpans) appendTo(spans []waiting, count int) []waiting {
	for at := t.first; count > 0; count-- {
		spans = append(spans, t.spans[at])
		at = t.next[at]
	}
	return spans
}

// from visits the spans of a trace from one on.
func (t *traceSpans) from(n int, visit func(*waiting)) {
	at := t.first
	for i := range t.count {
		if i >= n {
			visit(&t.spans[at])
		}
		at = t.next[at]
	}
}
