// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/metadata"
)

// settings are bits of a fuzzed number: settings of the processor, and what the
// record is like.
const (
	overwrite = 1 << iota
	removeSource
	callerSpans
	structuredBody
	ownTrace
	ownSpan
)

// fuzzed returns a record of fuzzed parts. A body that should be a structure is one
// if it can be.
func fuzzed(settings uint8, flags uint32, body string, attributes ...string) plog.Logs {
	return one(func(r plog.LogRecord) {
		r.SetFlags(plog.LogRecordFlags(flags))
		if settings&ownTrace != 0 {
			r.SetTraceID(pcommon.TraceID{1, 2, 3})
		}
		if settings&ownSpan != 0 {
			r.SetSpanID(pcommon.SpanID{1, 2, 3})
		}
		for i := 0; i < len(attributes); i += 2 {
			var value any
			if json.Unmarshal([]byte(attributes[i+1]), &value) != nil || r.Attributes().PutEmpty(attributes[i]).FromRaw(value) != nil {
				r.Attributes().PutStr(attributes[i], attributes[i+1])
			}
		}
		var structure map[string]any
		if settings&structuredBody == 0 || json.Unmarshal([]byte(body), &structure) != nil || r.Body().SetEmptyMap().FromRaw(structure) != nil {
			r.Body().SetStr(body)
		}
	})
}

// FuzzLogs: whatever a record holds, an id that it gets is written in it, its valid
// ids and the flags that are not the trace's stay, and a second pass changes nothing.
func FuzzLogs(f *testing.F) {
	const both = "trace_id=" + traceHex + " span_id=" + spanHex
	f.Add(uint8(0), uint32(0), both, "trace_id", otherTrace, "span_id", otherSpan, "traceparent", "00-"+traceHex+"-"+spanHex+"-01")
	f.Add(uint8(overwrite|ownTrace|ownSpan), uint32(0xabcd01), both, "dd.trace_id", "7", "dd.span_id", "8", "_dd.p.tid", spanHex)
	f.Add(uint8(removeSource), uint32(0), "[orders,"+traceHex+","+spanHex+",true]", "otelTraceID", traceHex, "otelSpanID", spanHex, "otelTraceSampled", "true")
	f.Add(uint8(structuredBody|callerSpans), uint32(0), `{"ctx":{`+`"trace_id":"`+traceHex+`"},"trace":{"id":"`+traceHex+`"},"dd":{"trace_id":7}}`, "b3", traceHex+"-"+spanHex+"-1", "uber-trace-id", "1:2:0:1", "x", "")
	f.Add(uint8(ownTrace), uint32(2), `{"trace_id":"01020300000000000000000000000000","span_id":"`+spanHex+`"}`, "xray_trace_id", "1-4bf92f35-77b34da6a3ce929d0e0e4736", "mine", "4bf92f35-77b3-4da6-a3ce-929d0e0e4736", "X-Cloud-Trace-Context", traceHex+"/7;o=1")
	f.Add(uint8(ownSpan|callerSpans|removeSource), uint32(0), "Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Parent="+spanHex, "X-B3-TraceId", "1f", "X-B3-SpanId", "2f", "X-B3-Sampled", "1")

	f.Fuzz(func(t *testing.T, settings uint8, flags uint32, body, k1, v1, k2, v2, k3, v3 string) {
		cfg := defaultConfig()
		cfg.Overwrite = settings&overwrite != 0
		cfg.RemoveSource = settings&removeSource != 0
		cfg.CallerSpans = settings&callerSpans != 0
		cfg.Fields = []FieldsItem{{TraceID: "mine", SpanID: "my.span", Encoding: "uuid"}, {TraceID: "number", SpanID: "my.number", Encoding: "decimal"}}
		p, sink := start(t, cfg)
		ld := fuzzed(settings, flags, body, k1, v1, k2, v2, k3, v3)
		before := plog.NewLogs()
		ld.CopyTo(before)
		checkPasses(t, cfg, p, sink, before, ld)
	})
}

// checkPasses passes a record through the processor, checks it, and passes it again.
func checkPasses(t *testing.T, cfg *Config, p processor.Logs, sink *consumertest.LogsSink, before, ld plog.Logs) {
	t.Helper()
	sink.Reset()
	require.NoError(t, p.ConsumeLogs(t.Context(), ld))
	require.Len(t, sink.AllLogs(), 1)
	require.Equal(t, 1, sink.LogRecordCount())
	checkRecord(t, cfg, only(before), only(ld))

	// What is removed is no longer there to overwrite the ids with.
	if !cfg.Overwrite || !cfg.RemoveSource {
		once := written(t, ld)
		require.NoError(t, p.ConsumeLogs(t.Context(), ld))
		assert.Equal(t, once, written(t, ld))
	}
}

func checkRecord(t *testing.T, cfg *Config, before, after plog.LogRecord) {
	t.Helper()
	valid := !before.TraceID().IsEmpty()
	if valid && !cfg.Overwrite {
		assert.Equal(t, before.TraceID(), after.TraceID())
		if !before.SpanID().IsEmpty() {
			assert.Equal(t, before.SpanID(), after.SpanID())
		}
	}
	if after.TraceID() != before.TraceID() {
		assert.True(t, traceIsIn(content(before), after.TraceID()), after.TraceID())
	}
	if after.SpanID() != before.SpanID() && !after.SpanID().IsEmpty() {
		assert.True(t, spanIsIn(content(before), after.SpanID()), after.SpanID())
	}
	changed := after.TraceID() != before.TraceID() || after.SpanID() != before.SpanID()
	if after.TraceID().IsEmpty() {
		assert.False(t, changed)
		assert.Equal(t, before.Flags(), after.Flags())
	}
	assert.Equal(t, before.Flags()&^0xff, after.Flags()&^0xff)
	assert.Equal(t, before.Body().AsRaw(), after.Body().AsRaw())
	for key, value := range before.Attributes().All() {
		if now, ok := after.Attributes().Get(key); ok && key != conflictKey {
			assert.Equal(t, value.AsRaw(), now.AsRaw())
		} else {
			assert.True(t, cfg.RemoveSource || key == conflictKey)
		}
	}
}

func written(t testing.TB, ld plog.Logs) string {
	t.Helper()
	text, err := (&plog.ProtoMarshaler{}).MarshalLogs(ld)
	require.NoError(t, err)
	return string(text)
}

// start starts a processor that stops when the test ends.
func start(t testing.TB, cfg *Config) (processor.Logs, *consumertest.LogsSink) {
	t.Helper()
	sink := new(consumertest.LogsSink)
	p, err := NewFactory().CreateLogs(t.Context(), processortest.NewNopSettings(metadata.Type), cfg, sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, p.Shutdown(context.Background())) })
	return p, sink
}
