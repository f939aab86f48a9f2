// SPDX-License-Identifier: Apache-2.0

package coherence

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
)

const (
	// batchSpans and batchTraces are the maximum numbers of spans and traces in a Batch.
	batchSpans  = 1024
	batchTraces = 256
)

// Batch groups spans by trace, so that the cost of a trace is paid once for all its spans in the batch. It
// is not safe for concurrent use.
type Batch struct {
	into     *Traces
	now      time.Time
	sampling *sampling
	spans    []Span
	next     []int32 // index of the next span of the same trace
	traces   []batchTrace
	known    map[pcommon.TraceID]*batchTrace
	last     *batchTrace
	unchosen pcommon.TraceID // the last trace that is not judged
	shards   [shards]*batchTrace
}

// batchTrace holds the spans of one trace in a batch as a linked list.
type batchTrace struct {
	*Batch
	id          pcommon.TraceID
	hash        uint64
	first, last int32
	count       int
	sameShard   *batchTrace // the next trace of the same shard
	known       *trace      // the waiting trace, or nil
	handled     bool        // its spans wait or are refused
}

// NewBatch returns a Batch. Call Begin before adding spans.
func (t *Traces) NewBatch() *Batch {
	return &Batch{
		into: t, spans: make([]Span, 0, batchSpans), next: make([]int32, batchSpans), traces: make([]batchTrace, 0, batchTraces),
		known: make(map[pcommon.TraceID]*batchTrace, batchTraces),
	}
}

// Begin empties the Batch.
func (b *Batch) Begin(now time.Time) {
	b.now, b.sampling, b.unchosen = now, b.into.sampling.Load(), pcommon.TraceID{}
}

// Add adds a span, and reports whether its trace is judged.
func (b *Batch) Add(id pcommon.TraceID, span Span) bool {
	if len(b.spans) == batchSpans || len(b.traces) == batchTraces {
		b.Flush()
	}
	t := b.trace(id)
	if t == nil {
		return false
	}
	at := int32(len(b.spans))
	b.spans = append(b.spans, span)
	if t.count == 0 {
		t.first = at
	} else {
		b.next[t.last] = at
	}
	t.last = at
	t.count++
	return true
}

// trace returns the batch's entry for a trace, or nil if the trace is not judged.
func (b *Batch) trace(id pcommon.TraceID) *batchTrace {
	if b.last != nil && b.last.id == id {
		return b.last
	}
	if b.sampling.halvings > 0 && b.unchosen == id {
		return nil
	}
	if t := b.known[id]; t != nil {
		b.last = t
		return t
	}
	hash := hashTrace(id)
	if !b.sampling.chosen(hash) {
		b.unchosen = id
		return nil
	}
	first := &b.shards[hash>>32%shards]
	b.traces = append(b.traces, batchTrace{Batch: b, id: id, hash: hash, sameShard: *first})
	*first = &b.traces[len(b.traces)-1]
	b.known[id], b.last = *first, *first
	return b.last
}

// Flush moves the spans to the traces that wait.
func (b *Batch) Flush() {
	if len(b.spans) == 0 {
		return
	}
	b.into.add(b)
	clear(b.known)
	clear(b.spans)
	clear(b.shards[:])
	b.spans, b.traces, b.last, b.unchosen = b.spans[:0], b.traces[:0], nil, pcommon.TraceID{}
}

// appendTo appends the first count spans of a trace.
func (t *batchTrace) appendTo(spans []Span, count int) []Span {
	for at := t.first; count > 0; count-- {
		spans = append(spans, t.spans[at])
		at = t.next[at]
	}
	return spans
}

// refusal is the reason why a span does not wait.
type refusal int

const (
	late    refusal = iota // its trace is already judged
	noTrace                // max_traces is reached
	noRoom                 // max_spans is reached, the trace is too large, or it is not sampled
)

// refuse counts the spans of a trace from index from on, which do not wait.
func (t *Traces) refuse(g *batchTrace, from int, why refusal) {
	at := g.first
	for i := range g.count {
		if span := &g.spans[at]; i >= from {
			switch why {
			case late:
				span.Of.Service.Late.Add(1)
			case noTrace:
				t.results.Refuse(report.LimitTraces, 1)
				span.Of.Service.Unjudged.Add(1)
				why = late // later spans are late
			case noRoom:
				t.Unjudged(span.Of, 1)
			}
		}
		at = g.next[at]
	}
}

// Unjudged counts spans of traces that are not judged, because there is no room for all.
func (t *Traces) Unjudged(operation *Operation, n int64) {
	t.results.Refuse(report.LimitSpans, n)
	operation.Service.Unjudged.Add(n)
}
