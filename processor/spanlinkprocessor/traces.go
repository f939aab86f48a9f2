// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// traces are the trace ids of a batch.
type traces struct {
	seen map[pcommon.TraceID]struct{}
	ids  []correlation.Member
}

func (t *traces) begin() {
	clear(t.seen)
	t.ids = t.ids[:0]
}

func (t *traces) note(span ptrace.Span) {
	id := span.TraceID()
	if n := len(t.ids); id.IsEmpty() || n > 0 && t.ids[n-1].TraceID == id {
		return
	}
	if _, ok := t.seen[id]; ok {
		return
	}
	if t.seen == nil {
		t.seen = map[pcommon.TraceID]struct{}{}
	}
	t.seen[id] = struct{}{}
	t.ids = append(t.ids, correlation.Member{TraceID: id, Start: span.StartTimestamp()})
}

// sharedTraceLimit is how many traces can have the same lower 8 bytes. Of two, a 64-bit id already
// means neither.
const sharedTraceLimit = 2

// addTraces adds a request for each trace, so that logs with 64-bit ids find it.
func (w *walk) addTraces() {
	for _, member := range w.traces.ids {
		w.requests = append(w.requests, correlation.Request{
			Key: w.writer.KeyOfTrace(member.TraceID), Op: correlation.Join, Limit: sharedTraceLimit, Member: member,
		})
	}
}
