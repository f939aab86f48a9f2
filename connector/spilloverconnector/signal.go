// SPDX-License-Identifier: Apache-2.0

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
type signal[T data[T]] struct {
	name pipeline.Signal
	// items returns the number of spans, data points or log records.
	items func(T) int
	// marshal and unmarshal convert to and from OTLP in protobuf.
	marshal   func(T) ([]byte, error)
	unmarshal func([]byte) (T, error)
	// size returns the bytes of OTLP in protobuf.
	size func(T) int
	// line returns OTLP in JSON.
	line func(T) ([]byte, error)
	// add moves more to the end of a batch.
	add func(batch, more T)
	// cut moves what comes behind the first items to a new batch.
	cut  func(batch T, keep int) T
	copy func(T) T
	// unsent returns what an error says was not accepted, if it says so.
	unsent func(error) (T, bool)
}

// data is traces, metrics or logs. Data that is read-only is also read by others.
type data[T any] interface {
	IsReadOnly() bool
	CopyTo(T)
}

// own returns a batch that may be changed.
func (s signal[T]) own(batch T) T {
	if batch.IsReadOnly() {
		return s.copy(batch)
	}
	return batch
}

// merge returns the items of several batches, in order.
func (s signal[T]) merge(batches []T) T {
	first := s.own(batches[0])
	for _, more := range batches[1:] {
		s.add(first, s.own(more))
	}
	return first
}

// split returns the items of a batch in order, in parts of at most so many bytes. An item that is larger is a part
// of its own.
func (s signal[T]) split(batch T, most int) []T {
	size, items := s.size(batch), s.items(batch)
	if size <= most || items <= 1 {
		return []T{batch}
	}
	parts := (size + most - 1) / most
	first := s.own(batch)
	rest := s.cut(first, max(items/parts, 1))
	return append(s.split(first, most), s.split(rest, most)...)
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
	size:      (&ptrace.ProtoMarshaler{}).TracesSize,
	line:      (&ptrace.JSONMarshaler{}).MarshalTraces,
	add:       func(batch, more ptrace.Traces) { more.ResourceSpans().MoveAndAppendTo(batch.ResourceSpans()) },
	cut:       cutTraces,
	copy:      copied(ptrace.NewTraces),
	unsent:    delivery.Unsent[consumererror.Traces, ptrace.Traces],
}

var metrics = signal[pmetric.Metrics]{
	name:      pipeline.SignalMetrics,
	items:     pmetric.Metrics.DataPointCount,
	marshal:   (&pmetric.ProtoMarshaler{}).MarshalMetrics,
	unmarshal: metricsDecoder.UnmarshalMetrics,
	size:      (&pmetric.ProtoMarshaler{}).MetricsSize,
	line:      (&pmetric.JSONMarshaler{}).MarshalMetrics,
	add:       func(batch, more pmetric.Metrics) { more.ResourceMetrics().MoveAndAppendTo(batch.ResourceMetrics()) },
	cut:       cutMetrics,
	copy:      copied(pmetric.NewMetrics),
	unsent:    delivery.Unsent[consumererror.Metrics, pmetric.Metrics],
}

var logs = signal[plog.Logs]{
	name:      pipeline.SignalLogs,
	items:     plog.Logs.LogRecordCount,
	marshal:   (&plog.ProtoMarshaler{}).MarshalLogs,
	unmarshal: logsDecoder.UnmarshalLogs,
	size:      (&plog.ProtoMarshaler{}).LogsSize,
	line:      (&plog.JSONMarshaler{}).MarshalLogs,
	add:       func(batch, more plog.Logs) { more.ResourceLogs().MoveAndAppendTo(batch.ResourceLogs()) },
	cut:       cutLogs,
	copy:      copied(plog.NewLogs),
	unsent:    delivery.Unsent[consumererror.Logs, plog.Logs],
}
