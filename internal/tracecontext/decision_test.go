// SPDX-License-Identifier: Apache-2.0

package tracecontext

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDecision considers plain keys, then vendors' keys, then traceparent.
func TestDecision(t *testing.T) {
	keys := NewKeys(nil, false)
	f := func(record []string, pairs []string, want string, source Source) {
		t.Helper()
		var own Fields
		for i := 0; i < len(record); i += 2 {
			own.Add(record[i], record[i+1])
		}
		ids, _ := own.Decide()
		var e Evidence
		for i := 0; i < len(pairs); i += 2 {
			e.AddText(keys.Find(pairs[i]), 0, pairs[i+1])
		}
		var d Decision
		d.Begin(ids.TraceID, ids.SpanID, ids.Flags)
		d.ConsiderOwn()
		d.Consider(&e, Custom, SourceFields)
		d.Consider(&e, Plain, SourceAttribute)
		d.Consider(&e, Vendor, SourceVendor)
		d.Consider(&e, Parent, SourceTraceparent)
		got := show(idsOf(&d))
		if d.Conflict {
			got += " " + conflict
		}
		assert.Equal(t, want, got)
		assert.Equal(t, source, d.Source)
	}
	const (
		both   = traceA + " " + spanA
		parent = "00-" + traceA + "-" + spanB + "-01"
	)

	// The record's own ids stay, and only what is missing is added.
	f([]string{"trace_id", traceA, "span_id", spanA}, []string{"trace_id", traceB, "span_id", spanB}, both, SourceRecord)
	f([]string{"trace_id", traceA}, []string{"trace_id", traceA, "span_id", spanA}, both, SourceAttribute)
	f([]string{"trace_id", traceA}, []string{"trace_id", traceB, "span_id", spanB}, traceA, SourceRecord)
	f([]string{"trace_id", traceA}, []string{"span_id", spanB}, traceA, SourceRecord)
	f([]string{"trace_id", traceA, "span_id", spanA}, []string{"traceparent", parent}, both+" 01", SourceRecord)

	// Classes are trusted in their order.
	f(nil, []string{"trace_id", traceA, "dd.trace_id", "1", "dd.span_id", "1"}, traceA, SourceAttribute)
	f(nil, []string{"trace_id", traceA, "X-B3-TraceId", traceA, "X-B3-SpanId", spanA}, both, SourceAttribute)
	f(nil, []string{"trace_id", "0", "X-B3-TraceId", traceA, "X-B3-SpanId", spanA}, both, SourceVendor)
	f(nil, []string{"traceparent", parent}, traceA+" 01", SourceTraceparent)
	f(nil, []string{"traceparent", parent, "trace_id", traceA, "span_id", spanA}, both+" 01", SourceAttribute)
	f(nil, []string{"traceparent", parent, "trace_id", traceB, "span_id", spanA}, traceB+" "+spanA, SourceAttribute)

	// Conflicts end the search, and earlier ids stay.
	f(nil, []string{"trace_id", traceA, "traceId", traceB, "traceparent", parent}, " "+conflict, SourceRecord)
	f(nil, []string{"trace_id", traceA, "X-B3-TraceId", traceA, "X-B3-SpanId", spanA, "b3", traceA + "-" + spanB}, both, SourceAttribute)
	f(nil, []string{"dd.trace_id", "1", "X-B3-TraceId", "2", "traceparent", parent}, " "+conflict, SourceRecord)
	f([]string{"trace_id", traceA}, []string{"trace_id", traceA, "span_id", spanA, "traceId", traceA, "spanId", spanB},
		traceA+" "+conflict, SourceRecord)
	f([]string{"trace_id", traceA}, []string{"trace_id", traceA, "span_id", spanA, "traceId", traceB, "spanId", spanB}, both, SourceAttribute)

	// Flags of another span do not count.
	f([]string{"trace_id", traceA, "span_id", spanA}, []string{"trace_id", traceA, "span_id", spanB, "trace_flags", "01"}, both, SourceRecord)
	f([]string{"trace_id", traceA, "span_id", spanA}, []string{"trace_id", traceA, "trace_flags", "01"}, both+" 01", SourceRecord)

	// A trace id in two halves.
	f(nil, []string{"dd.trace_id", "1", "_dd.p.tid", "00000000000000ff"}, "00000000000000ff0000000000000001", SourceVendor)
	f(nil, []string{"dd.trace_id", "1", "_dd.p.tid", zeros[:16]}, "00000000000000000000000000000001", SourceVendor)
	f(nil, []string{"dd.trace_id", "1", "_dd.p.tid", "640cfd8"}, "", SourceRecord)
	f(nil, []string{"dd.trace_id", traceA, "_dd.p.tid", traceA[:16]}, traceA, SourceVendor)
	f(nil, []string{"dd.trace_id", traceA, "_dd.p.tid", spanA}, " "+conflict, SourceRecord)
	f(nil, []string{"_dd.p.tid", spanA}, "", SourceRecord)
}

// TestOwnIDsLast considers the record's own ids after all others, as with overwrite.
func TestOwnIDsLast(t *testing.T) {
	keys := NewKeys(nil, false)
	f := func(want string, pairs ...string) {
		t.Helper()
		var own Fields
		own.Add("trace_id", traceA)
		own.Add("span_id", spanA)
		ids, _ := own.Decide()
		var d Decision
		d.Begin(ids.TraceID, ids.SpanID, 0)
		var e Evidence
		for i := 0; i < len(pairs); i += 2 {
			e.AddText(keys.Find(pairs[i]), 0, pairs[i+1])
		}
		d.Consider(&e, All, SourceAttribute)
		d.ConsiderOwn()
		assert.Equal(t, want, show(idsOf(&d)))
	}
	f(traceA + " " + spanA)
	f(traceA+" "+spanA, "trace_id", traceA)
	f(traceA+" "+spanB, "trace_id", traceA, "span_id", spanB)
	f(traceB, "trace_id", traceB)
}
