package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/known"
)

// repair gives a metric the kind and the unit of its pack's rule, and reports whether it already had them.
func (w *walk) repair(m pmetric.Metric, d *known.Metric) (conformant bool) {
	conformant = true
	if ucum, ok := w.p.namer.Unit(d.System, m.Unit()); ok {
		m.SetUnit(ucum)
		w.change(naming.MetricUnit, d.System)
		conformant = false
	}
	for _, rule := range d.Repairs {
		if rule.Type == conventions.TypeCounter && m.Type() == pmetric.MetricTypeGauge {
			w.toCounter(m, d)
			w.change(naming.MetricType, d.System)
			conformant = false
		}
		if unit := rule.Stated(m.Unit()); unit != m.Unit() {
			m.SetUnit(unit)
			w.change(naming.MetricUnit, d.System)
			conformant = false
		}
		if rule.Convert != "" && rule.Convert != m.Unit() {
			conformant = !w.convert(m, rule.Convert, d.System) && conformant
		}
	}
	return conformant
}

// toCounter makes a gauge a cumulative monotonic sum. Points without a start time get a constant one: the
// processor's start, or the first point's time if that is earlier.
func (w *walk) toCounter(m pmetric.Metric, d *known.Metric) {
	points := pmetric.NewNumberDataPointSlice()
	m.Gauge().DataPoints().MoveAndAppendTo(points)
	sum := m.SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	points.MoveAndAppendTo(sum.DataPoints())
	for _, p := range sum.DataPoints().All() {
		if p.StartTimestamp() == 0 {
			d.Start.CompareAndSwap(0, uint64(min(w.p.started, p.Timestamp())))
			p.SetStartTimestamp(min(pcommon.Timestamp(d.Start.Load()), p.Timestamp()))
		}
	}
}

// convert converts all values of a metric to another unit, and reports whether it did.
func (w *walk) convert(m pmetric.Metric, unit string, owner *naming.System) bool {
	c, ok := conventions.Convert(m.Unit(), unit)
	if !ok || m.Type() == pmetric.MetricTypeExponentialHistogram {
		w.violation(naming.MetricUnit, owner)
		return false
	}
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		convertNumbers(m.Gauge().DataPoints(), c)
	case pmetric.MetricTypeSum:
		convertNumbers(m.Sum().DataPoints(), c)
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			convertHistogram(p, c)
		}
	case pmetric.MetricTypeSummary:
		for _, p := range m.Summary().DataPoints().All() {
			p.SetSum(c.Apply(p.Sum()))
			for _, q := range p.QuantileValues().All() {
				q.SetValue(c.Apply(q.Value()))
			}
		}
	}
	m.SetUnit(unit)
	w.change(naming.MetricUnit, owner)
	return true
}

func convertNumbers(points pmetric.NumberDataPointSlice, c conventions.Conversion) {
	for _, p := range points.All() {
		switch p.ValueType() {
		case pmetric.NumberDataPointValueTypeInt:
			p.SetDoubleValue(c.Apply(float64(p.IntValue())))
		case pmetric.NumberDataPointValueTypeDouble:
			p.SetDoubleValue(c.Apply(p.DoubleValue()))
		}
		convertExemplars(p.Exemplars(), c)
	}
}

func convertHistogram(p pmetric.HistogramDataPoint, c conventions.Conversion) {
	convertSlice(p.ExplicitBounds(), c)
	if p.HasSum() {
		p.SetSum(c.Apply(p.Sum()))
	}
	if p.HasMin() {
		p.SetMin(c.Apply(p.Min()))
	}
	if p.HasMax() {
		p.SetMax(c.Apply(p.Max()))
	}
	convertExemplars(p.Exemplars(), c)
}

func convertSlice(values pcommon.Float64Slice, c conventions.Conversion) {
	for i, v := range values.All() {
		values.SetAt(i, c.Apply(v))
	}
}

func convertExemplars(exemplars pmetric.ExemplarSlice, c conventions.Conversion) {
	for _, e := range exemplars.All() {
		switch e.ValueType() {
		case pmetric.ExemplarValueTypeInt:
			e.SetDoubleValue(c.Apply(float64(e.IntValue())))
		case pmetric.ExemplarValueTypeDouble:
			e.SetDoubleValue(c.Apply(e.DoubleValue()))
		}
	}
}
