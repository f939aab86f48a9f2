// SPDX-License-Identifier: Apache-2.0

package inference

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// labels are those of a series, without empty ones.
type labels map[string]string

// key is equal for equal labels without some of them.
func (l labels) key(without ...string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(l)) {
		if !slices.Contains(without, name) {
			fmt.Fprintf(&b, "%s=%q ", name, l[name])
		}
	}
	return b.String()
}

// value is what one series has: a number, or the parts of a histogram by their names.
type value map[string]float64

// add adds another series to this one.
func (v value) add(other value) {
	for part, n := range other {
		v[part] += n
	}
}

const number = "value"

// sample is one series.
type sample struct {
	labels labels
	value  value
}

// family is the series of one name.
type family struct {
	kind   dto.MetricType
	copyOf bool // it was copied from another one
	series map[string]sample
}

// has reports whether a series has some labels.
func (s sample) has(where labels) bool {
	for name, v := range where {
		if s.labels[name] != v {
			return false
		}
	}
	return true
}

// sent returns the families of a page by name.
func sent(page []*dto.MetricFamily) map[string]family {
	all := map[string]family{}
	for _, f := range page {
		one := family{kind: f.GetType(), series: map[string]sample{}}
		for _, m := range f.GetMetric() {
			s := sample{labels: labels{}, value: valueOf(m)}
			for _, pair := range m.GetLabel() {
				if pair.GetValue() != "" {
					s.labels[pair.GetName()] = pair.GetValue()
				}
			}
			one.series[s.labels.key()] = s
		}
		all[f.GetName()] = one
	}
	return all
}

func valueOf(m *dto.Metric) value {
	if h := m.GetHistogram(); h != nil {
		v := value{"count": float64(h.GetSampleCount()), "sum": h.GetSampleSum()}
		for _, bucket := range h.GetBucket() {
			if !math.IsInf(bucket.GetUpperBound(), 1) {
				v[fmt.Sprint("le ", bucket.GetUpperBound())] = float64(bucket.GetCumulativeCount())
			}
		}
		return v
	}
	return value{number: m.GetCounter().GetValue() + m.GetGauge().GetValue()}
}

// received returns the families of a target by name, with their last values. A scrape that failed, because
// the machine is busy, ends all series until the next one, and is left out.
func received(metrics pmetric.Metrics, address string) map[string]family {
	all := map[string]family{}
	for _, resource := range metrics.ResourceMetrics().All() {
		if instance, ok := resource.Resource().Attributes().Get("service.instance.id"); !ok || instance.AsString() != address || failed(resource) {
			continue
		}
		for _, scope := range resource.ScopeMetrics().All() {
			for _, metric := range scope.Metrics().All() {
				if _, known := all[metric.Name()]; !known {
					_, copied := metric.Metadata().Get("tc.copy_of")
					all[metric.Name()] = family{kind: kindOf(metric), copyOf: copied, series: map[string]sample{}}
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
func (f family) update(metric pmetric.Metric) {
	for labels, value := range points(metric) {
		if value == nil {
			delete(f.series, labels.key())
			continue
		}
		f.series[labels.key()] = sample{*labels, value}
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

// points iterates over the labels and values of a metric's points. The value is nil where the series ended.
func points(metric pmetric.Metric) func(yield func(*labels, value) bool) {
	return func(yield func(*labels, value) bool) {
		numbers := pmetric.NewNumberDataPointSlice()
		switch metric.Type() {
		case pmetric.MetricTypeSum:
			numbers = metric.Sum().DataPoints()
		case pmetric.MetricTypeGauge:
			numbers = metric.Gauge().DataPoints()
		case pmetric.MetricTypeHistogram:
			for _, p := range metric.Histogram().DataPoints().All() {
				v := histogramOf(p)
				if p.Flags().NoRecordedValue() {
					v = nil
				}
				if !yield(labelsOf(p.Attributes()), v) {
					return
				}
			}
		}
		for _, p := range numbers.All() {
			v := value{number: p.DoubleValue()}
			switch {
			case p.Flags().NoRecordedValue():
				v = nil
			case p.ValueType() == pmetric.NumberDataPointValueTypeInt:
				v[number] = float64(p.IntValue())
			}
			if !yield(labelsOf(p.Attributes()), v) {
				return
			}
		}
	}
}

func labelsOf(attributes pcommon.Map) *labels {
	all := labels{}
	for key, v := range attributes.All() {
		all[key] = v.AsString()
	}
	return &all
}

func histogramOf(p pmetric.HistogramDataPoint) value {
	v := value{"count": float64(p.Count()), "sum": p.Sum()}
	var below uint64
	for i, bound := range p.ExplicitBounds().All() {
		below += p.BucketCounts().At(i)
		v[fmt.Sprint("le ", bound)] = float64(below)
	}
	return v
}
