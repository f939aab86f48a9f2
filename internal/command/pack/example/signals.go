package example

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/spanfacts"
)

func (r *runner) metric(ctx context.Context, e *conventions.MetricExample) error {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.Scope().SetName(origin(r.pack, e.Given.Origin, rm.Resource().Attributes()))
	owner := r.namer.Owner(textOf(rm.Resource().Attributes()), sm.Scope().Name())
	in := sm.Metrics().AppendEmpty()
	in.SetName(e.In)
	in.SetUnit(e.Given.Unit)
	var point pmetric.NumberDataPoint
	if e.Given.Type == conventions.ExampleCounter {
		sum := in.SetEmptySum()
		sum.SetIsMonotonic(true)
		sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		point = sum.DataPoints().AppendEmpty()
	} else {
		point = in.SetEmptyGauge().DataPoints().AppendEmpty()
	}
	point.SetDoubleValue(e.Given.Value)
	point.SetTimestamp(1)
	if err := r.put(e.Given.Attributes, point.Attributes()); err != nil {
		return err
	}
	done, err := r.metrics(ctx, md)
	if err != nil {
		return err
	}
	out := done.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0)

	r.same("out", e.Out, out.Name())
	r.stated("unit", e.Unit, out.Unit())
	kind := conventions.ExampleGauge
	points := out.Gauge().DataPoints
	if out.Type() == pmetric.MetricTypeSum {
		kind, points = conventions.ExampleCounter, out.Sum().DataPoints
	}
	r.stated("type", string(e.Type), string(kind))
	if got := points().At(0).DoubleValue(); e.Value != nil && math.Abs(got-*e.Value) > 1e-9*math.Abs(got) {
		r.fail("value", number(*e.Value), number(got))
	}
	series := r.namer.Series(owner, e.In, out.Name())
	r.stated("aggregate", string(e.Aggregate), string(series.Gauge))
	r.show(r.namer.MetricSources(owner, e.In))
	r.show(r.namer.UnitSources(series.System, e.Given.Unit))
	r.also(e, owner, done.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics())
	if e.Aggregate != "" {
		r.show(r.namer.GaugeSources(series.System, e.In, out.Name()))
	}
	return r.attributesOf("attributes", e.Attributes, points().At(0).Attributes())
}

// also compares the names of copies, which follow the metric.
func (r *runner) also(e *conventions.MetricExample, owner *naming.System, out pmetric.MetricSlice) {
	names := map[string]bool{}
	for i := 1; i < out.Len(); i++ {
		names[out.At(i).Name()] = true
	}
	for _, want := range e.Also {
		if !names[want] {
			r.fail("also", strconv.Quote(want), fmt.Sprint(sortedKeys(names)))
		}
	}
	d := r.namer.Metric(owner, e.In)
	for i, source := range r.namer.CopySources(&d, e.In) {
		if slices.Contains(e.Also, r.namer.Copies(&d, e.In).Also[i].Name) {
			r.show([]naming.Source{source})
		}
	}
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func (r *runner) span(ctx context.Context, e *conventions.SpanExample) error {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(origin(r.pack, e.Given.Origin, rs.Resource().Attributes()))
	named := naming.Context{
		Owner: r.namer.Owner(textOf(rs.Resource().Attributes()), ss.Scope().Name()), Scope: ss.Scope().Name(),
		Service: attributes.Text(rs.Resource().Attributes(), "service.name"),
	}
	in := ss.Spans().AppendEmpty()
	in.SetName(e.In)
	if err := r.put(e.Given.Attributes, in.Attributes()); err != nil {
		return err
	}
	r.show(r.namer.SpanSources(named, spanfacts.Of(in, naming.AsksOf(e.In)), e.In))
	done, err := r.traces(ctx, td)
	if err != nil {
		return err
	}
	out := done.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	r.same("out", e.Out, out.Name())
	return r.attributesOf("attributes", e.Attributes, out.Attributes())
}

// attributeOf is the name of the span that has an example's attribute. It is conformant.
const attributeOf = "Example/Attribute"

func (r *runner) attribute(ctx context.Context, e *conventions.AttributeExample) error {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(origin(r.pack, conventions.Origin{}, rs.Resource().Attributes()))
	in := ss.Spans().AppendEmpty()
	in.SetName(attributeOf)
	value := e.Given.Value
	if value == nil {
		value = "x"
	}
	if err := r.put(map[string]any{e.In: value}, in.Attributes()); err != nil {
		return err
	}
	done, err := r.traces(ctx, td)
	if err != nil {
		return err
	}
	r.show(r.namer.AttributeSources(r.system, e.In))
	key, got := sent(done.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes(), e.In, e.Out)
	if key != "" && e.Value != nil {
		if err := r.value("value", e.Value, got); err != nil {
			return err
		}
	}
	r.same("out", e.Out, key)
	_, id := r.namer.Series(r.system, "", "tc_example").ID(e.In)
	if id != e.ID {
		r.fail("id", strconv.FormatBool(e.ID), strconv.FormatBool(id))
	}
	return nil
}

// sent returns what became of an attribute: the attribute with the original key if there is still one, else that
// with the key that the example wants, else any other one. The key is empty if it was removed.
func sent(attrs pcommon.Map, in, out string) (key string, value pcommon.Value) {
	for _, key := range []string{in, out} {
		if value, ok := attrs.Get(key); ok {
			return key, value
		}
	}
	for key, value := range attrs.All() {
		if !strings.HasPrefix(key, contentLength) {
			return key, value
		}
	}
	return "", value
}

// contentLength begins the attributes with the lengths of protected content.
const contentLength = "tc.content.length."
