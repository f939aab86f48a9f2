// SPDX-License-Identifier: Apache-2.0

package tailstage

import (
	"fmt"
	"iter"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
	"github.com/otelcol-tc/otelcol-tc/internal/livetail"
)

// Metric looks at the first data point of a metric, among the metrics of its scope. A component can move the point
// to another metric: then it is shown there.
func Metric(resource pcommon.Resource, in pmetric.MetricSlice, metric pmetric.Metric) Look {
	find := firstPoint(metric)
	return func(of *Shown) (livetail.Item, bool) {
		// The metric is not read: one that was removed can be another batch's by now.
		for _, now := range in.All() {
			if p, ok := find(now); ok {
				return of.metric(resource, now, p), true
			}
		}
		return livetail.Item{}, false
	}
}

// point is a data point.
type point struct {
	attributes pcommon.Map
	value      string
}

// firstPoint returns a function that finds the first data point of a metric in the metric where it is now. A
// metric without points has an empty one.
func firstPoint(m pmetric.Metric) func(pmetric.Metric) (point, bool) {
	var find func(pmetric.Metric) (point, bool)
	switch m.Type() {
	case pmetric.MetricTypeGauge, pmetric.MetricTypeSum:
		find = finder(m, numbers, func(p pmetric.NumberDataPoint) point { return point{p.Attributes(), number(p)} })
	case pmetric.MetricTypeHistogram:
		find = finder(m, histograms, func(p pmetric.HistogramDataPoint) point {
			return point{p.Attributes(), distribution(p.Count(), p.Sum())}
		})
	case pmetric.MetricTypeExponentialHistogram:
		find = finder(m, exponentialHistograms, func(p pmetric.ExponentialHistogramDataPoint) point {
			return point{p.Attributes(), distribution(p.Count(), p.Sum())}
		})
	case pmetric.MetricTypeSummary:
		find = finder(m, summaries, func(p pmetric.SummaryDataPoint) point {
			return point{p.Attributes(), distribution(p.Count(), p.Sum())}
		})
	}
	if find == nil {
		none := point{attributes: pcommon.NewMap()}
		return func(other pmetric.Metric) (point, bool) { return none, other == m }
	}
	return find
}

// finder returns nil for a metric without points.
func finder[P comparable](m pmetric.Metric, of func(pmetric.Metric) iter.Seq2[int, P], show func(P) point) func(pmetric.Metric) (point, bool) {
	for _, first := range of(m) {
		return func(now pmetric.Metric) (point, bool) {
			for _, p := range of(now) {
				if p == first {
					return show(p), true
				}
			}
			return point{}, false
		}
	}
	return nil
}

// A gauge can become a sum.
func numbers(m pmetric.Metric) iter.Seq2[int, pmetric.NumberDataPoint] {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return m.Gauge().DataPoints().All()
	case pmetric.MetricTypeSum:
		return m.Sum().DataPoints().All()
	default:
		return nobody[pmetric.NumberDataPoint]
	}
}

func histograms(m pmetric.Metric) iter.Seq2[int, pmetric.HistogramDataPoint] {
	if m.Type() != pmetric.MetricTypeHistogram {
		return nobody[pmetric.HistogramDataPoint]
	}
	return m.Histogram().DataPoints().All()
}

func exponentialHistograms(m pmetric.Metric) iter.Seq2[int, pmetric.ExponentialHistogramDataPoint] {
	if m.Type() != pmetric.MetricTypeExponentialHistogram {
		return nobody[pmetric.ExponentialHistogramDataPoint]
	}
	return m.ExponentialHistogram().DataPoints().All()
}

func summaries(m pmetric.Metric) iter.Seq2[int, pmetric.SummaryDataPoint] {
	if m.Type() != pmetric.MetricTypeSummary {
		return nobody[pmetric.SummaryDataPoint]
	}
	return m.Summary().DataPoints().All()
}

func nobody[P any](func(int, P) bool) {}

func number(p pmetric.NumberDataPoint) string {
	switch p.ValueType() {
	case pmetric.NumberDataPointValueTypeInt:
		return strconv.FormatInt(p.IntValue(), 10)
	case pmetric.NumberDataPointValueTypeDouble:
		return strconv.FormatFloat(p.DoubleValue(), 'g', -1, 64)
	default:
		return ""
	}
}

func distribution(count uint64, sum float64) string {
	return fmt.Sprintf("count %d, sum %g", count, sum)
}

func (of *Shown) metric(resource pcommon.Resource, metric pmetric.Metric, p point) (item livetail.Item) {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	resource.CopyTo(rm.Resource())
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.Scope().SetName(of.scope)
	// Attributes are protected in the same way in points of all kinds.
	attrs := sm.Metrics().AppendEmpty().SetEmptyGauge().DataPoints().AppendEmpty().Attributes()
	p.attributes.CopyTo(attrs)
	if size := (&pmetric.ProtoMarshaler{}).MetricsSize(md); size > maxBytes {
		return tooLarge(size)
	}
	of.hide(of.resourceOwner, rm.Resource().Attributes())
	of.hide(of.owner, attrs)
	of.protect().Metrics(md)
	item.Add(livetail.Name, "", metric.Name())
	item.Add(livetail.Unit, "", metric.Unit())
	item.Add(livetail.Type, "", metric.Type().String())
	item.Add(livetail.Value, "", p.value)
	item.Add(livetail.Points, "", strconv.Itoa(datapoints.Count(metric)))
	addMap(&item, livetail.Attribute, p.attributes, attrs)
	addMap(&item, livetail.Resource, resource.Attributes(), rm.Resource().Attributes())
	return item
}
