package spilloverconnector

import (
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pipeline"

	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
)

// signal contains what differs between traces, metrics and logs. T is a batch.
type signal[T any] struct {
	name pipeline.Signal
	// items returns the number of spans, data points or log records.
	items func(T) int
	// marshal and unmarshal convert to and from OTLP in protobuf.
	marshal   func(T) ([]byte, error)
	unmarshal func([]byte) (T, error)
	// line returns OTLP in JSON.
	line func(T) ([]byte, error)
	// add moves more to the end of a batch.
	add  func(batch, more T)
	copy func(T) T
	// unsent returns what an error says was not accepted, if it says so.
	unsent func(error) (T, bool)
}

// copied returns a function that copies a batch into an empty one.
func copied[T interface{ CopyTo(T) }](empty func() T) func(T) T {
	return func(batch T) T {
		to := empty()
		batch.CopyTo(to)
		return to
	}
}

var (
	tracesDecoder  ptrace.ProtoUnmarshaler
	metricsDecoder pmetric.ProtoUnmarshaler
	logsDecoder    plog.ProtoUnmarshaler
)

var traces = signal[ptrace.Traces]{
	name:      pipeline.SignalTraces,
	items:     ptrace.Traces.SpanCount,
	marshal:   (&ptrace.ProtoMarshaler{}).MarshalTraces,
	unmarshal: tracesDecoder.UnmarshalTraces,
	line:      (&ptrace.JSONMarshaler{}).MarshalTraces,
	add:       func(batch, more ptrace.Traces) { more.ResourceSpans().MoveAndAppendTo(batch.ResourceSpans()) },
	copy:      copied(ptrace.NewTraces),
	unsent:    delivery.Unsent[consumererror.Traces, ptrace.Traces],
}

var metrics = signal[pmetric.Metrics]{
	name:      pipeline.SignalMetrics,
	items:     pmetric.Metrics.DataPointCount,
	marshal:   (&pmetric.ProtoMarshaler{}).MarshalMetrics,
	unmarshal: metricsDecoder.UnmarshalMetrics,
	line:      (&pmetric.JSONMarshaler{}).MarshalMetrics,
	add:       func(batch, more pmetric.Metrics) { more.ResourceMetrics().MoveAndAppendTo(batch.ResourceMetrics()) },
	copy:      copied(pmetric.NewMetrics),
	unsent:    delivery.Unsent[consumererror.Metrics, pmetric.Metrics],
}

var logs = signal[plog.Logs]{
	name:      pipeline.SignalLogs,
	items:     plog.Logs.LogRecordCount,
	marshal:   (&plog.ProtoMarshaler{}).MarshalLogs,
	unmarshal: logsDecoder.UnmarshalLogs,
	line:      (&plog.JSONMarshaler{}).MarshalLogs,
	add:       func(batch, more plog.Logs) { more.ResourceLogs().MoveAndAppendTo(batch.ResourceLogs()) },
	copy:      copied(plog.NewLogs),
	unsent:    delivery.Unsent[consumererror.Logs, plog.Logs],
}
