// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
)

func defaultConfig() *Config { return createDefaultConfig().(*Config) }

// consume returns what the processor makes of one batch, and what it counts, by
// metric and label.
func consume(t *testing.T, cfg *Config, ld plog.Logs) (plog.Logs, map[string]int64) {
	t.Helper()
	telemetry := componenttest.NewTelemetry()
	set := processortest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = telemetry.NewTelemetrySettings()
	sink := new(consumertest.LogsSink)
	p, err := NewFactory().CreateLogs(t.Context(), set, cfg, sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, p.ConsumeLogs(t.Context(), ld))
	counted := countedBy(telemetry)
	require.NoError(t, p.Shutdown(t.Context()))
	require.NoError(t, telemetry.Shutdown(t.Context()))
	require.Len(t, sink.AllLogs(), 1)
	return sink.AllLogs()[0], counted
}

// one returns a batch of one record.
func one(fill func(plog.LogRecord)) plog.Logs { return batch(1, 0, fill) }

func only(ld plog.Logs) plog.LogRecord {
	return ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
}

const (
	otherTrace = "0af7651916cd43dd8448eb211c80319c"
	otherSpan  = "b7ad6b7169203331"
)

func TestCounters(t *testing.T) {
	fills := []func(plog.LogRecord){
		func(r plog.LogRecord) { r.SetTraceID(traceID) },
		func(r plog.LogRecord) { r.SetTraceID(traceID); r.SetSpanID(spanID); r.SetFlags(1) },
		func(r plog.LogRecord) { r.Attributes().PutStr("mine", "4bf92f35-77b3-4da6-a3ce-929d0e0e4736") },
		func(r plog.LogRecord) { r.Attributes().PutStr("trace_id", traceHex) },
		func(r plog.LogRecord) {
			r.SetTraceID(traceID)
			r.Body().SetStr("trace_id=" + traceHex + " span_id=" + spanHex)
		},
		func(r plog.LogRecord) { r.Attributes().PutInt("dd.trace_id", 7) },
		func(r plog.LogRecord) { r.Body().SetStr(`{"trace_id":"` + traceHex + `"}`) },
		func(r plog.LogRecord) { r.Body().SetEmptyMap().PutEmptyMap("trace").PutStr("id", traceHex) },
		func(r plog.LogRecord) { r.Attributes().PutStr("traceparent", "00-"+traceHex+"-"+spanHex+"-01") },
		func(r plog.LogRecord) { r.Body().SetStr("trace_id=" + traceHex) },
		func(r plog.LogRecord) { r.Body().SetStr("trace_id=" + traceHex + " of trace_id=" + otherTrace) },
		func(r plog.LogRecord) {
			r.Attributes().PutStr("mine", traceHex)
			r.Body().SetStr("span_id=x trace_id=" + traceHex + "x trace_id=" + traceHex + ", [a," + traceHex + "," + spanHex + "] [a," + traceHex + "," + otherSpan + "]")
		},
		func(r plog.LogRecord) {
			r.Attributes().PutStr("trace_id", "-")
			r.Attributes().PutDouble("dd.trace_id", 1.5)
		},
		func(r plog.LogRecord) { r.Attributes().PutStr("traceparent", "ff-"+traceHex+"-"+spanHex+"-01") },
		func(r plog.LogRecord) { r.Attributes().PutStr("trace_id", "00000000000000000000000000000000") },
		func(plog.LogRecord) {},
	}
	i := -1
	ld := batch(len(fills), 0, func(r plog.LogRecord) { i++; fills[i](r) })
	cfg := defaultConfig()
	cfg.Fields = []FieldsItem{{TraceID: "mine", Encoding: "uuid"}}
	_, counted := consume(t, cfg, ld)
	assert.Equal(t, map[string]int64{
		"valid":                2,
		"enriched fields":      2,
		"enriched attribute":   1,
		"enriched vendor":      1,
		"enriched body":        2,
		"enriched traceparent": 1,
		"enriched text":        2,
		"conflicts":            2,
		"unresolved":           5,
		"rejected placeholder": 1,
		"rejected zero":        1,
		"rejected length":      2,
		"rejected not_decimal": 1,
		"rejected version":     1,
	}, counted)
}

func TestFlags(t *testing.T) {
	f := func(own plog.LogRecordFlags, key, value string, want plog.LogRecordFlags) {
		t.Helper()
		out, _ := consume(t, defaultConfig(), one(func(r plog.LogRecord) {
			r.SetFlags(own)
			r.Attributes().PutStr("trace_id", traceHex)
			r.Attributes().PutStr(key, value)
		}))
		assert.Equal(t, want, only(out).Flags())
	}
	f(0, "trace_flags", "01", 1)
	f(0, "trace_flags", "ff", 0xff)
	f(0xabcdef00, "trace_flags", "01", 0xabcdef01)
	f(0xabcdef00, "trace_sampled", "false", 0xabcdef00)
	f(0xabcdef02, "trace_flags", "01", 0xabcdef02) // they are there
	f(0xabcdef00, "trace_flags", "100", 0xabcdef00)
	f(0, "traceFlags", "01", 0) // of nothing
}

// TestOwnSpanWithoutTrace: such a span id is none, and goes when a trace comes.
func TestOwnSpanWithoutTrace(t *testing.T) {
	out, _ := consume(t, defaultConfig(), one(func(r plog.LogRecord) { r.SetSpanID(spanID) }))
	assert.Equal(t, spanID, only(out).SpanID())
	out, _ = consume(t, defaultConfig(), one(func(r plog.LogRecord) {
		r.SetSpanID(spanID)
		r.Attributes().PutStr("trace_id", otherTrace)
	}))
	assert.Equal(t, otherTrace, only(out).TraceID().String())
	assert.True(t, only(out).SpanID().IsEmpty())
}

// TestOtherValues: what is neither text nor a number nor a truth value has no ids.
func TestOtherValues(t *testing.T) {
	out, counted := consume(t, defaultConfig(), one(func(r plog.LogRecord) {
		r.Attributes().PutEmptyBytes("trace_id").FromRaw(traceID[:])
		r.Attributes().PutEmptyMap("traceId").PutStr("id", traceHex)
		r.Attributes().PutInt("otel_trace_id", 12)
		r.Attributes().PutBool("TraceId", true)
		slice := r.Attributes().PutEmptySlice("traceid")
		slice.AppendEmpty().SetStr(traceHex)
		slice.AppendEmpty().SetStr(traceHex)
		r.Body().SetEmptyBytes().FromRaw([]byte("trace_id=" + traceHex))
	}))
	assert.True(t, only(out).TraceID().IsEmpty())
	assert.Equal(t, map[string]int64{"unresolved": 1}, counted)
}

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, createDefaultConfig) }
