// SPDX-License-Identifier: Apache-2.0

package example

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
)

func (r *runner) metric(ctx context.Context, e *conventions.MetricExample) error {
	r.in = e.In
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
	out := done.At(0)

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
	r.also(e, owner, done, points().At(0).Attributes())
	if e.Aggregate != "" {
		r.show(r.namer.GaugeSources(series.System, e.In, out.Name()))
	}
	return r.attributesOf("attributes", e.Attributes, points().At(0).Attributes())
}

// also compares the names of copies, which follow the metric. Its only point has the attributes.
func (r *runner) also(e *conventions.MetricExample, owner *naming.System, out pmetric.MetricSlice, attrs pcommon.Map) {
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
	for _, c := range r.namer.Copies(&d, e.In) {
		if c.Selects(textOf(attrs)) && slices.Contains(e.Also, c.Name) {
			r.show([]naming.Source{c.Source})
		}
	}
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func (r *runner) span(ctx context.Context, e *conventions.SpanExample) error {
	r.in = e.In
	td, in := spanFrom(r.pack, e.Given.Origin)
	in.SetName(e.In)
	if err := r.put(e.Given.Attributes, in.Attributes()); err != nil {
		return err
	}
	resource, scope := td.ResourceSpans().At(0).Resource().Attributes(), td.ResourceSpans().At(0).ScopeSpans().At(0).Scope().Name()
	named := naming.Context{Owner: r.namer.Owner(textOf(resource), scope), Scope: scope, Service: attributes.Text(resource, "service.name")}
	r.show(r.namer.SpanSources(named, attributes.SpanFacts(in, naming.AsksOf(e.In)), e.In))
	out, err := r.spanThrough(ctx, td)
	if err != nil {
		return err
	}
	r.same("out", e.Out, out.Name())
	return r.attributesOf("attributes", e.Attributes, out.Attributes())
}
