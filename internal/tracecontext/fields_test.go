// SPDX-License-Identifier: Apache-2.0

package tracecontext

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

const (
	traceA = "4bf92f3577b34da6a3ce929d0e0e4736"
	traceB = "0af7651916cd43dd8448eb211c80319c"
	spanA  = "00f067aa0ba902b7"
	spanB  = "b7ad6b7169203331"
	half   = "463ac35c9f6413ad"
	padded = "0000000000000000463ac35c9f6413ad"
	zeros  = "00000000000000000000000000000000"

	conflict = "conflict"
)

// show formats ids as "trace span flags", without those that are missing.
func show(ids IDs) string {
	var parts []string
	if ids.TraceID != (pcommon.TraceID{}) {
		parts = append(parts, ids.TraceID.String())
	}
	if ids.SpanID != (pcommon.SpanID{}) {
		parts = append(parts, ids.SpanID.String())
	}
	if ids.HasFlags {
		parts = append(parts, fmt.Sprintf("%02x", ids.Flags))
	}
	return strings.Join(parts, " ")
}

func TestFields(t *testing.T) {
	var fields Fields // used again for each case, as a parser does
	f := func(pairs []string, want string) {
		t.Helper()
		fields.Reset()
		for i := 0; i < len(pairs); i += 2 {
			assert.True(t, fields.Add(pairs[i], pairs[i+1]), pairs[i])
		}
		ids, ok := fields.Decide()
		got := show(ids)
		if !ok {
			assert.Empty(t, got)
			got = conflict
		}
		assert.Equal(t, want, got, "%q", pairs)
	}
	f(nil, "")

	// Every style of key.
	for _, keys := range []string{
		"trace_id span_id trace_flags", "traceId spanId traceFlags", "TraceId SpanId TraceFlags", "traceid spanid traceflags",
		"trace-id span-id trace-flags",
	} {
		k := strings.Fields(keys)
		f([]string{k[0], traceA, k[1], spanA, k[2], "01"}, traceA+" "+spanA+" 01")
		f([]string{k[1], spanA, k[0], traceA}, traceA+" "+spanA)
	}
	f([]string{"otelTraceID", traceA, "otelSpanID", spanA, "otelTraceSampled", "True"}, traceA+" "+spanA+" 01")
	f([]string{"otel_trace_id", traceA, "otel_span_id", spanA}, traceA+" "+spanA)
	f([]string{"@tr", traceA, "@sp", spanA}, traceA+" "+spanA)
	f([]string{"trace.id", traceA, "span.id", spanA, "transaction.id", spanB}, traceA+" "+spanA)
	f([]string{"trace.id", traceA, "transaction.id", spanB}, traceA+" "+spanB)
	f([]string{"traceID", traceA, "spanID", spanA}, traceA+" "+spanA)
	f([]string{"dd.trace_id", "5060571933882717101", "dd.span_id", "18446744073709551615"}, padded+" ffffffffffffffff")
	f([]string{"dd.trace_id", "5060571933882717101", "_dd.p.tid", "640cfd8d00000000"}, "640cfd8d00000000463ac35c9f6413ad")
	f([]string{"dd.trace_id", traceA, "dd.span_id", "1"}, traceA+" 0000000000000001")
	f([]string{"logging.googleapis.com/trace", "projects/p-1/traces/" + traceA, "logging.googleapis.com/spanId", spanA,
		"logging.googleapis.com/trace_sampled", "true"}, traceA+" "+spanA+" 01")
	f([]string{"logging.googleapis.com/trace", traceA}, traceA)
	f([]string{"X-B3-TraceId", half, "X-B3-SpanId", spanA, "X-B3-Sampled", "1"}, padded+" "+spanA+" 01")

	// A span counts only with the trace of its own style.
	f([]string{"span_id", spanA}, "")
	f([]string{"trace_id", traceA, "spanId", spanA}, traceA)
	f([]string{"otel_trace_id", "0", "otel_span_id", spanA, "trace_id", traceA}, traceA)
	f([]string{"trace_id", zeros, "span_id", spanA}, "")
	f([]string{"trace_id", traceA, "span_id", "0000000000000000"}, traceA)

	// Several styles: with the same ids, with more ids of the same trace, with other ids.
	f([]string{"trace_id", traceA, "otelTraceID", traceA, "otelSpanID", spanA}, traceA+" "+spanA)
	f([]string{"trace_id", traceA, "otelTraceID", traceB}, conflict)
	f([]string{"trace_id", traceA, "span_id", spanA, "traceId", traceA, "spanId", spanB}, conflict)
	f([]string{"trace_id", traceA, "trace_id", traceB}, conflict)
	f([]string{"trace_id", traceA, "span_id", spanA, "span_id", spanB}, conflict)
	f([]string{"trace_id", traceA, "trace_id", strings.ToUpper(traceA)}, traceA)
	// FastDeploy's thread still has the trace context of the request before.
	f([]string{"otel_trace_id", traceB, "otel_span_id", spanB, "trace_id", traceA}, conflict)
	f([]string{"otel_trace_id", traceA, "otel_span_id", spanA, "trace_id", "unknown"}, traceA+" "+spanA)
	// A key with one invalid value has no id.
	f([]string{"trace_id", "-", "trace_id", traceA, "span_id", spanA}, "")
	f([]string{"trace_id", traceA, "trace_id", "-"}, "")

	// The first flags count, and only those of the chosen ids.
	f([]string{"trace_id", traceA, "trace_flags", "03"}, traceA+" 03")
	f([]string{"trace_id", traceA, "trace_flags", "x"}, traceA)
	f([]string{"trace_id", traceA, "trace_sampled", "False"}, traceA+" 00")
	f([]string{"trace_flags", "01"}, "")
	f([]string{"trace_id", traceA, "traceId", "0", "traceFlags", "01"}, traceA)
}

func TestOtherKeys(t *testing.T) {
	var fields Fields
	for _, key := range []string{
		"", "trace", "span", "trace_i", "trace_id2", "parent_span_id", "mytrace_id", "upstream_trace_id", "tid", "id", "Root",
		strings.Repeat("x", 1000),
	} {
		assert.False(t, fields.Add(key, traceA), key)
	}
	ids, ok := fields.Decide()
	assert.True(t, ok)
	assert.Zero(t, ids)
}

func TestManyStatements(t *testing.T) {
	keys := NewKeys(nil, false)
	var e Evidence
	for object := range maxStatements + 1 {
		e.AddText(keys.Find("trace_id"), object, traceA)
	}
	var d Decision
	d.Consider(&e, All, SourceBody)
	assert.True(t, d.Conflict)
	assert.False(t, d.Found())
}

func idsOf(d *Decision) IDs {
	flags, ok := d.Flags()
	return IDs{TraceID: d.TraceID(), SpanID: d.SpanID(), Flags: flags, HasFlags: ok}
}
