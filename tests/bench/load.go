// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// itemsPerRequest is the batch size that SDKs use.
const itemsPerRequest = 512

const spansPerTrace = 8

// otlpLoad is one OTLP request, encoded once, again and again (request.go).
type otlpLoad struct {
	signal     string
	attributes int // of each item
	items      int // of a request
	variant    variant
	method     string
	request    []byte
	// rejected reads how many items a response says were not accepted.
	rejected func(response []byte) (int64, error)
}

// variant is what sets a load apart from the one as the systems send it.
type variant string

const (
	asSent variant = ""
	// The ids of log records are elsewhere than in their own fields.
	idsInAttributes variant = "ids in attributes"
	idsInText       variant = "ids in the text"
	// Spans share a key with one of another trace.
	tenthKeyed variant = "10 % keyed"
	// No pack owns the items (unowned.go).
	ofNobody variant = "no pack owns them"
	// The items are named, and of metrics each point is a series of its own.
	fromAgent variant = "as an agent leaves them"
)

func (l otlpLoad) String() string {
	if l.variant == asSent {
		return fmt.Sprintf("%s, %d attributes", l.signal, l.attributes)
	}
	return fmt.Sprintf("%s, %d attributes, %s", l.signal, l.attributes, l.variant)
}

func (otlpLoad) warmUps() int { return 1 }

func (l otlpLoad) feed(data, _ string) (feed, error) { return newSender(data, l) }

// newLoad is a request of a signal as the systems send it.
func newLoad(signal string, attributes int) (otlpLoad, error) {
	return newLoadOf(signal, attributes, itemsPerRequest)
}

// newLoadOf is one of so many items. What has none is left out, as SDKs do.
func newLoadOf(signal string, attributes, items int) (l otlpLoad, err error) {
	switch signal {
	case "metrics":
		l = metricLoad(attributes)
		l.request, err = pmetricotlp.NewExportRequestFromMetrics(withoutEmpty(newMetrics(attributes, items))).MarshalProto()
	case "traces":
		l = traceLoad(attributes)
		l.request, err = ptraceotlp.NewExportRequestFromTraces(newTraces(attributes, items)).MarshalProto()
	default:
		l = logLoad(attributes)
		l.request, err = plogotlp.NewExportRequestFromLogs(newLogs(attributes, items, asSent)).MarshalProto()
	}
	l.items = items
	return l, err
}

func withoutEmpty(md pmetric.Metrics) pmetric.Metrics {
	md.ResourceMetrics().RemoveIf(func(rm pmetric.ResourceMetrics) bool {
		metrics := rm.ScopeMetrics().At(0).Metrics()
		metrics.RemoveIf(func(m pmetric.Metric) bool { return pointsOf(m).Len() == 0 })
		return metrics.Len() == 0
	})
	return md
}

// metricLoad is a load of metric points, without the request.
func metricLoad(attributes int) otlpLoad {
	return otlpLoad{
		signal: "metrics", attributes: attributes, items: itemsPerRequest,
		method: "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
		rejected: func(response []byte) (int64, error) {
			r := pmetricotlp.NewExportResponse()
			err := r.UnmarshalProto(response)
			return r.PartialSuccess().RejectedDataPoints(), err
		},
	}
}

// traceLoad is a load of spans, without the request.
func traceLoad(attributes int) otlpLoad {
	return otlpLoad{
		signal: "traces", attributes: attributes, items: itemsPerRequest,
		method: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
		rejected: func(response []byte) (int64, error) {
			r := ptraceotlp.NewExportResponse()
			err := r.UnmarshalProto(response)
			return r.PartialSuccess().RejectedSpans(), err
		},
	}
}

// logLoad is a load of log records, without the request.
func logLoad(attributes int) otlpLoad {
	return otlpLoad{
		signal: "logs", attributes: attributes, items: itemsPerRequest,
		method: "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
		rejected: func(response []byte) (int64, error) {
			r := plogotlp.NewExportResponse()
			err := r.UnmarshalProto(response)
			return r.PartialSuccess().RejectedLogRecords(), err
		},
	}
}

// newMetrics spreads the points over the sources and their metrics. All are
// numbers: of all points they are the cheapest to decode, which leaves a
// processor the least to hide behind.
func newMetrics(attributes, items int) pmetric.Metrics {
	return newMetricsOf(metricSources, attributes, items)
}

func newMetricsOf(sources []source, attributes, items int) pmetric.Metrics {
	md := pmetric.NewMetrics()
	for s, src := range sources {
		points := src.appendMetrics(md)
		for n := s; n < items; n += len(sources) {
			point := points[n/len(sources)%len(points)].AppendEmpty()
			point.SetStartTimestamp(started)
			point.SetTimestamp(ended)
			point.SetIntValue(int64(n))
			src.fill(point.Attributes(), attributes, n)
		}
	}
	return md
}

// appendMetrics adds the source to a metric load, and returns where the points of its metrics
// go.
func (s source) appendMetrics(md pmetric.Metrics) (points []pmetric.NumberDataPointSlice) {
	rm := md.ResourceMetrics().AppendEmpty()
	s.describe(rm.Resource())
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.Scope().SetName(s.scope)
	for _, it := range s.items {
		metric := sm.Metrics().AppendEmpty()
		metric.SetName(it.name)
		metric.SetUnit(it.unit)
		metric.SetDescription("What " + it.name + " says.")
		points = append(points, numbers(metric, it.counter))
	}
	return points
}

func numbers(metric pmetric.Metric, counter bool) pmetric.NumberDataPointSlice {
	if !counter {
		return metric.SetEmptyGauge().DataPoints()
	}
	sum := metric.SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	return sum.DataPoints()
}

func newTraces(attributes, items int) ptrace.Traces {
	return newTracesOf(spanSources, attributes, items)
}

func newTracesOf(sources []source, attributes, items int) ptrace.Traces {
	td := ptrace.NewTraces()
	for s, src := range sources[:min(items, len(sources))] {
		spans := src.appendTo(td)
		for n := s; n < items; n += len(sources) {
			span := spans.AppendEmpty()
			span.SetName(src.item(n, len(sources)).name)
			span.SetKind(ptrace.SpanKindInternal)
			span.SetTraceID(traceID(n / spansPerTrace))
			span.SetSpanID(spanID(n))
			span.SetParentSpanID(spanID(n / spansPerTrace * spansPerTrace))
			span.SetStartTimestamp(started)
			span.SetEndTimestamp(ended)
			src.fill(span.Attributes(), attributes, n)
		}
	}
	return td
}

// appendTo adds the source to a trace load, and returns where its spans go.
func (s source) appendTo(td ptrace.Traces) ptrace.SpanSlice {
	rs := td.ResourceSpans().AppendEmpty()
	s.describe(rs.Resource())
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(s.scope)
	return ss.Spans()
}

const (
	started = pcommon.Timestamp(1_795_000_000_000_000_000)
	ended   = started + 1_000_000
)

func traceID(n int) pcommon.TraceID { return pcommon.TraceID{0: 0x5b, 14: byte(n >> 8), 15: byte(n)} }
func spanID(n int) pcommon.SpanID   { return pcommon.SpanID{0: 0x7c, 6: byte(n >> 8), 7: byte(n)} }

// item returns the item that the nth of a request is, when the request takes
// turns over so many sources.
func (s source) item(n, sources int) item { return s.items[n/sources%len(s.items)] }

func (s source) describe(r pcommon.Resource) {
	r.Attributes().PutStr("service.name", s.service)
	if s.namespace != "" {
		r.Attributes().PutStr("service.namespace", s.namespace)
	}
	r.Attributes().PutStr("service.instance.id", s.service+anInstance)
	r.Attributes().PutStr("host.name", "node-7")
}

// fill puts the first count attributes of the source. Past its own they are labels, as
// clusters add them.
func (s source) fill(m pcommon.Map, count, n int) {
	m.EnsureCapacity(count)
	for i := range count {
		if i >= len(s.attributes) {
			m.PutStr(fmt.Sprintf("k8s.label.%02d", i), "a value of a label")
			continue
		}
		a := s.attributes[i]
		value := a.value
		if value == anID {
			value = fmt.Sprintf("3f2504e0-4f89-41d3-9a0c-%04x%08x", i, n)
		} else if of, ok := value.(func(int) string); ok {
			value = of(n)
		}
		// The values in names.go are of types that pdata knows.
		_ = m.PutEmpty(a.key).FromRaw(value)
	}
}
