// SPDX-License-Identifier: Apache-2.0

// Package series compares the series of scraped pages with those that come out of a collector.
package series

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Labels are those of a series, without empty ones.
type Labels map[string]string

// Key is equal for equal labels without some of them.
func (l Labels) Key(without ...string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(l)) {
		if !slices.Contains(without, name) {
			fmt.Fprintf(&b, "%s=%q ", name, l[name])
		}
	}
	return b.String()
}

// Value is what one series has: a number, or the parts of a histogram by their names.
type Value map[string]float64

// Add adds another series to this one.
func (v Value) Add(other Value) {
	for part, n := range other {
		v[part] += n
	}
}

// Number is the part of what is no histogram.
const Number = "value"

// Sample is one series.
type Sample struct {
	Labels Labels
	Value  Value
}

// Family is the series of one name.
type Family struct {
	Kind   dto.MetricType
	CopyOf bool // it was copied from another one
	Series map[string]Sample
}

// Has reports whether a series has some labels.
func (s Sample) Has(where Labels) bool {
	for name, v := range where {
		if s.Labels[name] != v {
			return false
		}
	}
	return true
}

// Sent returns the families of a page by name.
func Sent(page iter.Seq[*dto.MetricFamily]) map[string]Family {
	all := map[string]Family{}
	for f := range page {
		one := Family{Kind: f.GetType(), Series: map[string]Sample{}}
		for _, m := range f.GetMetric() {
			s := Sample{Labels: Labels{}, Value: valueOf(m)}
			for _, pair := range m.GetLabel() {
				// The receiver makes the scope of labels about it.
				if pair.GetValue() != "" && !strings.HasPrefix(pair.GetName(), "otel_scope_") {
					s.Labels[pair.GetName()] = pair.GetValue()
				}
			}
			one.Series[s.Labels.Key()] = s
		}
		all[f.GetName()] = one
	}
	return all
}

func valueOf(m *dto.Metric) Value {
	if h := m.GetHistogram(); h != nil {
		v := Value{"count": float64(h.GetSampleCount()), "sum": h.GetSampleSum()}
		for _, bucket := range h.GetBucket() {
			if !math.IsInf(bucket.GetUpperBound(), 1) {
				v[fmt.Sprint("le ", bucket.GetUpperBound())] = float64(bucket.GetCumulativeCount())
			}
		}
		return v
	}
	return Value{Number: m.GetCounter().GetValue() + m.GetGauge().GetValue()}
}

// Received returns the families of a target by name, with their last values. A scrape that failed, because
// the machine is busy, ends all series until the next one, and is left out.
func Received(metrics pmetric.Metrics, address string) map[string]Family {
	all := map[string]Family{}
	for _, resource := range metrics.ResourceMetrics().All() {
		if instance, ok := resource.Resource().Attributes().Get("service.instance.id"); !ok || instance.AsString() != address || failed(resource) {
			continue
		}
		for _, scope := range resource.ScopeMetrics().All() {
			for _, metric := range scope.Metrics().All() {
				if _, known := all[metric.Name()]; !known {
					_, copied := metric.Metadata().Get("tc.copy_of")
					all[metric.Name()] = Family{Kind: kindOf(metric), CopyOf: copied, Series: map[string]Sample{}}
				}
				all[metric.Name()].update(metric)
			}
		}
	}
	return all
}

// failed reports whether what a scrape gave says that it failed.
func failed(resource pmetric.ResourceMetrics) bool {
	for _, scope := range resource.ScopeMetrics().All() {
		for _, metric := range scope.Metrics().All() {
			if metric.Name() == "up" {
				return metric.Gauge().DataPoints().At(0).DoubleValue() == 0
			}
		}
	}
	return false
}

// update takes the points of a metric.
func (f Family) update(metric pmetric.Metric) {
	set := func(attributes pcommon.Map, flags pmetric.DataPointFlags, value Value) {
		labels := Labels{}
		for key, v := range attributes.All() {
			labels[key] = v.AsString()
		}
		if flags.NoRecordedValue() {
			delete(f.Series, labels.Key()) // it ended
			return
		}
		f.Series[labels.Key()] = Sample{labels, value}
	}
	numbers := pmetric.NewNumberDataPointSlice()
	switch metric.Type() {
	case pmetric.MetricTypeSum:
		numbers = metric.Sum().DataPoints()
	case pmetric.MetricTypeGauge:
		numbers = metric.Gauge().DataPoints()
	case pmetric.MetricTypeHistogram:
		for _, p := range metric.Histogram().DataPoints().All() {
			set(p.Attributes(), p.Flags(), histogramOf(p))
		}
	}
	for _, p := range numbers.All() {
		set(p.Attributes(), p.Flags(), Value{Number: p.DoubleValue() + float64(p.IntValue())}) // one of them is 0
	}
}

func kindOf(metric pmetric.Metric) dto.MetricType {
	switch metric.Type() {
	case pmetric.MetricTypeSum:
		return dto.MetricType_COUNTER
	case pmetric.MetricTypeHistogram:
		return dto.MetricType_HISTOGRAM
	default:
		return dto.MetricType_GAUGE
	}
}

func histogramOf(p pmetric.HistogramDataPoint) Value {
	v := Value{"count": float64(p.Count()), "sum": p.Sum()}
	var below uint64
	for i, bound := range p.ExplicitBounds().All() {
		below += p.BucketCounts().At(i)
		v[fmt.Sprint("le ", bound)] = float64(below)
	}
	return v
}
