package main

import (
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
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
	variant    variant
	method     string
	request    []byte
	// rejected reads how many items a response says were not accepted.
	rejected func(response []byte) (int64, error)
	// later is after which time a target has done what it puts off; 0 if it does nothing
	// later.
	later time.Duration
}

// variant is what sets a load apart from the one as the systems send it.
type variant string

const (
	asSent variant = ""
	// conformant items need no naming.
	conformant variant = "conformant"
	// The ids of log records are elsewhere than in their own fields.
	idsInAttributes variant = "ids in attributes"
	idsInText       variant = "ids in the text"
	// Spans share a key with one of another trace.
	tenthKeyed variant = "10 % keyed"
	allKeyed   variant = "all keyed"
	// The pipelines have the four processors.
	judged variant = "judged"
	// And there is room for all of their traces.
	judgedWhole variant = "all traces judged"
	// The items are named, and of metrics each point is a series of its own.
	fromAgent variant = "as an agent leaves them"
)

func (l otlpLoad) String() string {
	if l.variant == asSent {
		return fmt.Sprintf("%s, %d attributes", l.signal, l.attributes)
	}
	return fmt.Sprintf("%s, %d attributes, %s", l.signal, l.attributes, l.variant)
}

func (l otlpLoad) pipelines() []pipeline { return pipelinesOf(l.signal, l.variant) }

func (otlpLoad) warmUps() int { return 1 }

func (l otlpLoad) feed(data, _ string) (feed, error) { return newSender(data, l) }

func newLoad(signal string, attributes int) (otlpLoad, error) {
	l := otlpLoad{signal: signal, attributes: attributes}
	var err error
	switch signal {
	case "metrics":
		l.method = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
		l.request, err = pmetricotlp.NewExportRequestFromMetrics(newMetrics(attributes)).MarshalProto()
		l.rejected = func(response []byte) (int64, error) {
			r := pmetricotlp.NewExportResponse()
			err := r.UnmarshalProto(response)
			return r.PartialSuccess().RejectedDataPoints(), err
		}
	case "traces":
		l = traceLoad(signal, attributes)
		l.request, err = ptraceotlp.NewExportRequestFromTraces(newTraces(attributes)).MarshalProto()
	case "logs":
		return newLogLoad(attributes, asSent)
	default:
		err = fmt.Errorf("--signals: must be of metrics, traces, links, logs, conformance and files (got %q)", signal)
	}
	return l, err
}

// traceLoad is a load of spans, without the request.
func traceLoad(signal string, attributes int) otlpLoad {
	return otlpLoad{
		signal: signal, attributes: attributes,
		method: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
		rejected: func(response []byte) (int64, error) {
			r := ptraceotlp.NewExportResponse()
			err := r.UnmarshalProto(response)
			return r.PartialSuccess().RejectedSpans(), err
		},
	}
}

// newMetrics spreads the points over the sources and their metrics. All are
// numbers: of all points they are the cheapest to decode, which leaves a
// processor the least to hide behind.
func newMetrics(attributes int) pmetric.Metrics {
	md := pmetric.NewMetrics()
	for s, src := range metricSources {
		rm := md.ResourceMetrics().AppendEmpty()
		src.describe(rm.Resource())
		sm := rm.ScopeMetrics().AppendEmpty()
		sm.Scope().SetName(src.scope)
		points := make([]pmetric.NumberDataPointSlice, len(src.items))
		for i, it := range src.items {
			metric := sm.Metrics().AppendEmpty()
			metric.SetName(it.name)
			metric.SetUnit(it.unit)
			metric.SetDescription("What " + it.name + " says.")
			points[i] = numbers(metric, it.counter)
		}
		for n := s; n < itemsPerRequest; n += len(metricSources) {
			point := points[n/len(metricSources)%len(points)].AppendEmpty()
			point.SetStartTimestamp(started)
			point.SetTimestamp(ended)
			point.SetIntValue(int64(n))
			src.fill(point.Attributes(), attributes, n)
		}
	}
	return md
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

func newTraces(attributes int) ptrace.Traces {
	td := ptrace.NewTraces()
	for s, src := range spanSources {
		spans := src.appendTo(td)
		for n := s; n < itemsPerRequest; n += len(spanSources) {
			span := spans.AppendEmpty()
			span.SetName(src.item(n, len(spanSources)).name)
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

// fill puts the first count attributes of the source.
func (s source) fill(m pcommon.Map, count, n int) {
	m.EnsureCapacity(count)
	for i, a := range s.attributes[:count] {
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
