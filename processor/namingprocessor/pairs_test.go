// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/metadata"
)

// anyMetric describes the fields of a metric that matter for merging.
type anyMetric struct {
	data        pmetric.MetricType
	temporality pmetric.AggregationTemporality
	monotonic   bool
	value       pmetric.NumberDataPointValueType
	points      int
}

func (a anyMetric) String() string {
	return fmt.Sprintf("%s temporality=%d monotonic=%t %s points=%d", a.data, a.temporality, a.monotonic, a.value, a.points)
}

// typed reports whether two metrics like this one may be merged.
func (a anyMetric) typed() bool {
	switch a.data {
	case pmetric.MetricTypeEmpty:
		return false
	case pmetric.MetricTypeGauge, pmetric.MetricTypeSummary:
		return a.points > 0
	}
	return a.points > 0 && (a.temporality == pmetric.AggregationTemporalityDelta || a.temporality == pmetric.AggregationTemporalityCumulative)
}

// alike reports whether two metrics may be merged.
func (a anyMetric) alike(b anyMetric) bool {
	return a.typed() && b.typed() && a.data == b.data && a.temporality == b.temporality && a.monotonic == b.monotonic
}

// adds reports whether values of two names add up.
func (a anyMetric) adds() bool {
	return a.data != pmetric.MetricTypeGauge && a.data != pmetric.MetricTypeSummary
}

var temporalities = []pmetric.AggregationTemporality{
	pmetric.AggregationTemporalityUnspecified, pmetric.AggregationTemporalityDelta, pmetric.AggregationTemporalityCumulative, 99,
}

var valueTypes = []pmetric.NumberDataPointValueType{
	pmetric.NumberDataPointValueTypeEmpty, pmetric.NumberDataPointValueTypeInt, pmetric.NumberDataPointValueTypeDouble,
}

// everyMetric returns all combinations of these fields.
func everyMetric() []anyMetric {
	all := []anyMetric{{data: pmetric.MetricTypeEmpty}}
	add := func(m anyMetric) {
		for _, m.points = range []int{0, 1, 3} {
			all = append(all, m)
		}
	}
	add(anyMetric{data: pmetric.MetricTypeSummary})
	for _, value := range valueTypes {
		add(anyMetric{data: pmetric.MetricTypeGauge, value: value})
	}
	for _, temporality := range temporalities {
		add(anyMetric{data: pmetric.MetricTypeHistogram, temporality: temporality})
		add(anyMetric{data: pmetric.MetricTypeExponentialHistogram, temporality: temporality})
		for _, value := range valueTypes {
			for _, monotonic := range []bool{false, true} {
				add(anyMetric{data: pmetric.MetricTypeSum, temporality: temporality, monotonic: monotonic, value: value})
			}
		}
	}
	return all
}

// build fills a metric. Its points have distinct times, starting at first.
func (a anyMetric) build(m pmetric.Metric, first int) {
	number := func(p pmetric.NumberDataPoint) {
		switch a.value {
		case pmetric.NumberDataPointValueTypeInt:
			p.SetIntValue(7)
		case pmetric.NumberDataPointValueTypeDouble:
			p.SetDoubleValue(7)
		}
	}
	var add func() interface{ SetTimestamp(pcommon.Timestamp) }
	switch a.data {
	case pmetric.MetricTypeEmpty:
		return
	case pmetric.MetricTypeGauge:
		points := m.SetEmptyGauge().DataPoints()
		add = func() interface{ SetTimestamp(pcommon.Timestamp) } { p := points.AppendEmpty(); number(p); return p }
	case pmetric.MetricTypeSum:
		sum := m.SetEmptySum()
		sum.SetAggregationTemporality(a.temporality)
		sum.SetIsMonotonic(a.monotonic)
		add = func() interface{ SetTimestamp(pcommon.Timestamp) } {
			p := sum.DataPoints().AppendEmpty()
			number(p)
			return p
		}
	case pmetric.MetricTypeHistogram:
		h := m.SetEmptyHistogram()
		h.SetAggregationTemporality(a.temporality)
		add = func() interface{ SetTimestamp(pcommon.Timestamp) } { return h.DataPoints().AppendEmpty() }
	case pmetric.MetricTypeExponentialHistogram:
		h := m.SetEmptyExponentialHistogram()
		h.SetAggregationTemporality(a.temporality)
		add = func() interface{ SetTimestamp(pcommon.Timestamp) } { return h.DataPoints().AppendEmpty() }
	case pmetric.MetricTypeSummary:
		points := m.SetEmptySummary().DataPoints()
		add = func() interface{ SetTimestamp(pcommon.Timestamp) } { return points.AppendEmpty() }
	}
	for i := range a.points {
		add().SetTimestamp(pcommon.Timestamp(first + i))
	}
}

// pointsOf returns the points of metrics as text, each with the fields of its metric.
func pointsOf(all ...pmetric.Metrics) []string {
	var points []string
	for _, md := range all {
		for _, rm := range md.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					points = append(points, pointsOfMetric(m)...)
				}
			}
		}
	}
	slices.Sort(points)
	return points
}

func pointsOfMetric(m pmetric.Metric) (points []string) {
	add := func(what ...any) { points = append(points, fmt.Sprint(m.Type(), what)) }
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		for _, p := range m.Gauge().DataPoints().All() {
			add(p.ValueType(), p.Timestamp())
		}
	case pmetric.MetricTypeSum:
		for _, p := range m.Sum().DataPoints().All() {
			add(m.Sum().AggregationTemporality(), m.Sum().IsMonotonic(), p.ValueType(), p.Timestamp())
		}
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			add(m.Histogram().AggregationTemporality(), p.Timestamp())
		}
	case pmetric.MetricTypeExponentialHistogram:
		for _, p := range m.ExponentialHistogram().DataPoints().All() {
			add(m.ExponentialHistogram().AggregationTemporality(), p.Timestamp())
		}
	case pmetric.MetricTypeSummary:
		for _, p := range m.Summary().DataPoints().All() {
			add(p.Timestamp())
		}
	}
	return points
}

func metricCount(all ...pmetric.Metrics) (n int) {
	for _, md := range all {
		n += md.MetricCount()
	}
	return n
}

// TestEveryPairOfMetrics sends every pair of metrics under names that become one, in both orders: in one
// scope, in two scopes and in two requests. Each point leaves once and unchanged, and only metrics that
// are alike are merged.
func TestEveryPairOfMetrics(t *testing.T) {
	if raced {
		t.Skip("the test has one goroutine")
	}
	var p *namingProcessor
	service := 0
	request := func() pmetric.ScopeMetricsSlice {
		md := pmetric.NewMetrics()
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("service.name", fmt.Sprint("service-", service))
		return rm.ScopeMetrics()
	}
	send := func(scopes ...pmetric.ScopeMetricsSlice) (all []pmetric.Metrics) {
		for _, scope := range scopes {
			md := pmetric.NewMetrics()
			rm := md.ResourceMetrics().AppendEmpty()
			rm.Resource().Attributes().PutStr("service.name", fmt.Sprint("service-", service))
			scope.MoveAndAppendTo(rm.ScopeMetrics())
			out, err := process(context.Background(), p, metrics, md)
			require.NoError(t, err)
			all = append(all, out)
		}
		return all
	}
	every := everyMetric()
	for _, names := range [][2]string{{"tc.pair", "tc_pair"}, {"tc_pair", "tc_pair"}} {
		for _, a := range every {
			// A new processor, so that no table is full.
			p = started(t, processortest.NewNopSettings(metadata.Type), defaultConfig(), "metrics")
			for _, b := range every {
				build := func(sm pmetric.ScopeMetrics, name string, of anyMetric, first int) {
					m := sm.Metrics().AppendEmpty()
					m.SetName(name)
					of.build(m, first)
				}
				check := func(where string, in []string, want int, out []pmetric.Metrics) {
					what := fmt.Sprintf("%s: %v %s, %v %s", where, names[0], a, names[1], b)
					if got := pointsOf(out...); !slices.Equal(in, got) {
						t.Fatalf("%s: points %v became %v", what, in, got)
					}
					if got := metricCount(out...); got != want {
						t.Fatalf("%s: %d metrics, want %d", what, got, want)
					}
				}
				service++
				one := request()
				scope := one.AppendEmpty()
				build(scope, names[0], a, 1)
				build(scope, names[1], b, 11)
				in := pointsOfScopes(one)
				want := 2
				if a.alike(b) && (names[0] == names[1] || a.adds()) {
					want = 1
				}
				check("one scope", in, want, send(one))

				service++
				two := request()
				build(two.AppendEmpty(), names[0], a, 1)
				build(two.AppendEmpty(), names[1], b, 11)
				two.At(1).Scope().SetName("other")
				check("two scopes", in, 2, send(two))

				service++
				first, second := request(), request()
				build(first.AppendEmpty(), names[0], a, 1)
				build(second.AppendEmpty(), names[1], b, 11)
				check("two requests", in, 2, send(first, second))
			}
		}
	}
}

func pointsOfScopes(scopes pmetric.ScopeMetricsSlice) []string {
	md := pmetric.NewMetrics()
	scopes.CopyTo(md.ResourceMetrics().AppendEmpty().ScopeMetrics())
	return pointsOf(md)
}

// incomplete are metrics that only JSON can express: fields without data.
var incomplete = []string{
	`"name":"tc_pair"`,
	`"name":null,"sum":{}`,
	`"name":"tc_pair","sum":null`,
	`"name":"tc_pair","sum":{}`,
	`"name":"tc_pair","sum":{"dataPoints":null}`,
	`"name":"tc_pair","sum":{"dataPoints":[{}]}`,
	`"name":"tc_pair","sum":{"dataPoints":[{"attributes":null,"exemplars":[{}]}]}`,
	`"name":"tc_pair","gauge":null`,
	`"name":"tc_pair","gauge":{"dataPoints":[{}]}`,
	`"name":"tc_pair","histogram":null`,
	`"name":"tc_pair","histogram":{"dataPoints":[{"bucketCounts":null}]}`,
	`"name":"tc_pair","exponentialHistogram":null`,
	`"name":"tc_pair","exponentialHistogram":{"dataPoints":[{"positive":null}]}`,
	`"name":"tc_pair","exponentialHistogram":{"aggregationTemporality":1,"dataPoints":[{}]}`,
	`"name":"tc_pair","summary":null`,
	`"name":"tc_pair","summary":{"dataPoints":[{"quantileValues":[{}]}]}`,
	`"name":"tc_pair","metadata":null,"sum":{"aggregationTemporality":1,"dataPoints":[{}]}`,
	`"name":"tc_pair","sum":{"aggregationTemporality":2,"dataPoints":[{}]},"histogram":{"dataPoints":[{}]}`,
}

// TestIncompleteMetrics sends every pair of metrics that lack a part.
func TestIncompleteMetrics(t *testing.T) {
	for _, a := range incomplete {
		for _, b := range incomplete {
			text := `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{` + strings.Join([]string{a, b}, "},{") + `}]}]}]}`
			md, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics([]byte(text))
			require.NoError(t, err, text)
			points := pointsOf(md)
			out, _ := consumeMetrics(t, defaultConfig(), md)
			require.Len(t, out, 1, text)
			assert.Equal(t, points, pointsOf(out...), text)
		}
	}
}

// timesOf returns the times of points, which identify them.
func timesOf(md pmetric.Metrics) []string {
	points := pointsOf(md)
	for i, p := range points {
		points[i] = p[strings.LastIndexAny(p, " [")+1:]
	}
	slices.Sort(points)
	return points
}
