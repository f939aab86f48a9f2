// SPDX-License-Identifier: Apache-2.0

//go:build !race

// The test has one goroutine. The race detector would make it fifty times slower.

package cardinalityprocessor

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/xpdata"

	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/internal/settings"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/kind"
)

// noTemporalityOfOTLP is an unknown temporality. It is so large that it would overwrite
// other bits if it was packed with them.
const noTemporalityOfOTLP pmetric.AggregationTemporality = 130

// pairKinds are all types of metrics, with valid and invalid temporalities.
func pairKinds() (kinds []kindOfMetric) {
	kinds = append(kinds, kindOfMetric{kind: pmetric.MetricTypeEmpty}, kindOfMetric{kind: pmetric.MetricTypeGauge}, kindOfMetric{kind: pmetric.MetricTypeSummary})
	for _, temporality := range []pmetric.AggregationTemporality{
		pmetric.AggregationTemporalityUnspecified, pmetric.AggregationTemporalityDelta, pmetric.AggregationTemporalityCumulative, noTemporalityOfOTLP,
	} {
		kinds = append(kinds,
			kindOfMetric{kind: pmetric.MetricTypeSum, temporality: temporality}, kindOfMetric{kind: pmetric.MetricTypeSum, temporality: temporality, monotonic: true},
			kindOfMetric{kind: pmetric.MetricTypeHistogram, temporality: temporality}, kindOfMetric{kind: pmetric.MetricTypeExponentialHistogram, temporality: temporality})
	}
	for i := range kinds {
		kinds[i].name = "m"
	}
	return kinds
}

// pairShape makes the points of one metric of a pair, for the seconds from at.
type pairShape struct {
	name   string
	honest bool // the points are well-formed, so that deltas must be conserved
	fill   func(r *rig, m pmetric.Metric, at float64)
}

// pairAttributes are sets of attributes. The processor drops the id.
var pairAttributes = []func(pcommon.Map){
	func(pcommon.Map) {},
	func(m pcommon.Map) { m.PutStr("id", "1") },
	func(m pcommon.Map) { m.PutStr("id", "2"); m.PutStr("route", "/a") },
	func(m pcommon.Map) { m.PutStr("", "") },
	func(m pcommon.Map) { m.PutEmpty("user") },
	func(m pcommon.Map) { m.PutBool(identity.OverflowKey, true) },
	func(m pcommon.Map) {
		var twice xpdata.MapBuilder
		twice.AppendEmpty("id").SetInt(1)
		twice.AppendEmpty("id").SetInt(2)
		twice.UnsafeIntoMap(m)
	},
}

// pairShapesOf returns the shapes of a kind's points.
func pairShapesOf(kind pmetric.MetricType) []pairShape {
	shapes := []pairShape{{name: "no points", honest: true, fill: func(*rig, pmetric.Metric, float64) {}}}
	switch kind {
	case pmetric.MetricTypeGauge, pmetric.MetricTypeSum:
		return append(shapes, pointShapes(numbersOf, []pointShape[pmetric.NumberDataPoint]{
			{"integers", true, func(dp pmetric.NumberDataPoint) { dp.SetIntValue(3) }},
			{"doubles", true, func(dp pmetric.NumberDataPoint) { dp.SetDoubleValue(2.5) }},
			{"no value", false, func(pmetric.NumberDataPoint) {}},
			{"NaN", false, func(dp pmetric.NumberDataPoint) { dp.SetDoubleValue(math.NaN()) }},
			{"infinite", false, func(dp pmetric.NumberDataPoint) { dp.SetDoubleValue(math.Inf(-1)) }},
			{"the largest", false, func(dp pmetric.NumberDataPoint) { dp.SetIntValue(math.MaxInt64) }},
		})...)
	case pmetric.MetricTypeHistogram:
		f := func(count uint64, bounds []float64, counts ...uint64) func(pmetric.HistogramDataPoint) {
			return func(dp pmetric.HistogramDataPoint) {
				dp.SetCount(count)
				dp.ExplicitBounds().FromRaw(bounds)
				dp.BucketCounts().FromRaw(counts)
			}
		}
		nan, inf := math.NaN(), math.Inf(1)
		return append(shapes, pointShapes(func(m pmetric.Metric) pmetric.HistogramDataPointSlice { return m.Histogram().DataPoints() }, []pointShape[pmetric.HistogramDataPoint]{
			{"three buckets", true, f(6, []float64{1, 2}, 1, 2, 3)},
			{"other buckets", true, f(6, []float64{1, 3, inf}, 1, 2, 3, 0)},
			{"no buckets", true, f(6, nil)},
			{"one bucket", true, f(6, nil, 6)},
			{"many buckets", true, func(dp pmetric.HistogramDataPoint) {
				f(1100, wideBounds(1099), slices.Repeat([]uint64{1}, 1100)...)(dp)
			}},
			{"only bounds", false, f(6, []float64{1, 2})},
			{"fewer buckets", false, f(6, []float64{1, 2}, 1, 5)},
			{"more buckets", false, f(6, []float64{1, 2}, 1, 2, 2, 1)},
			{"unsorted bounds", false, f(6, []float64{2, 1}, 1, 2, 3)},
			{"NaN", false, f(6, []float64{1, nan}, 1, 2, 3)},
			{"another count", false, f(7, []float64{1, 2}, 1, 2, 3)},
			{"counts that wrap", false, f(1, []float64{1}, math.MaxUint64, 2)},
		})...)
	case pmetric.MetricTypeExponentialHistogram:
		f := func(count uint64, scale, offset int32, counts ...uint64) func(pmetric.ExponentialHistogramDataPoint) {
			return func(dp pmetric.ExponentialHistogramDataPoint) {
				dp.SetCount(count)
				dp.SetScale(scale)
				dp.Positive().SetOffset(offset)
				dp.Positive().BucketCounts().FromRaw(counts)
			}
		}
		return append(shapes, pointShapes(func(m pmetric.Metric) pmetric.ExponentialHistogramDataPointSlice {
			return m.ExponentialHistogram().DataPoints()
		}, []pointShape[pmetric.ExponentialHistogramDataPoint]{
			{"scale 3", true, f(6, 3, -5, 1, 2, 3)},
			{"scale 0", true, f(6, 0, 7, 1, 2, 3)},
			{"far below 1", true, f(6, 20, -1<<27, 1, 2, 3)},
			{"far above 1", true, f(6, 20, 1<<27, 1, 2, 3)},
			{"many buckets", true, func(dp pmetric.ExponentialHistogramDataPoint) {
				f(300, 5, -100, slices.Repeat([]uint64{1}, 300)...)(dp)
			}},
			{"scale 40", false, f(6, 40, 1<<30, 1, 2, 3)},
			{"scale -40", false, f(6, -40, 1<<30, 1, 2, 3)},
			{"greatest offset", false, f(6, 0, math.MaxInt32, 1, 2, 3)},
			{"least offset", false, f(6, 0, math.MinInt32, 1, 2, 3)},
			{"empty, far away", true, f(0, 0, math.MaxInt32, 0, 0, 0)},
			{"negative threshold", false, func(dp pmetric.ExponentialHistogramDataPoint) { dp.SetZeroThreshold(-1) }},
			{"another count", false, f(7, 0, 0, 1, 2, 3)},
			{"counts that wrap", false, f(1, 0, 0, math.MaxUint64, 2)},
		})...)
	case pmetric.MetricTypeSummary:
		f := func(quantiles ...float64) func(pmetric.SummaryDataPoint) {
			return func(dp pmetric.SummaryDataPoint) {
				dp.SetCount(6)
				for _, q := range quantiles {
					dp.QuantileValues().AppendEmpty().SetQuantile(q)
				}
			}
		}
		return append(shapes, pointShapes(func(m pmetric.Metric) pmetric.SummaryDataPointSlice { return m.Summary().DataPoints() }, []pointShape[pmetric.SummaryDataPoint]{
			{"quantiles", true, f(0, 0.5, 1)},
			{"no quantile", true, f()},
			{"no quantiles", false, f(math.NaN(), -1, 2, 0.5, 0.5)},
		})...)
	default:
		return shapes
	}
}

func wideBounds(n int) (bounds []float64) {
	for i := range n {
		bounds = append(bounds, float64(i))
	}
	return bounds
}

type pointShape[D kind.Point] struct {
	name   string
	honest bool
	fill   func(D)
}

// pointShapes returns a metric's shape for each shape of a point. The metric has one such
// point for each set of attributes, each with its own interval. It also has stale markers and
// empty points.
func pointShapes[D kind.Point, S kind.Points[D]](of func(pmetric.Metric) S, shapes []pointShape[D]) (all []pairShape) {
	for _, stale := range []bool{false, true} {
		for i, shape := range shapes {
			if stale && i%4 > 0 {
				continue
			}
			name, honest := shape.name, shape.honest
			if stale {
				name, honest = "stale, "+name, true
			}
			all = append(all, pairShape{name, honest, func(r *rig, m pmetric.Metric, at float64) {
				for i, attributes := range pairAttributes {
					dp := of(m).AppendEmpty()
					shape.fill(dp)
					attributes(dp.Attributes())
					dp.SetStartTimestamp(r.at(at + float64(i)))
					dp.SetTimestamp(r.at(at + float64(i+1)))
					dp.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(stale))
				}
			}})
		}
	}
	return append(all, pairShape{"points of nothing", false, func(_ *rig, m pmetric.Metric, _ float64) {
		of(m).AppendEmpty()
		of(m).AppendEmpty()
	}})
}

// pairSettings are the settings under which pairs are processed.
var pairSettings = []struct {
	name   string
	change func(*Config)
}{
	{name: "an id goes", change: func(*Config) {}},
	{name: "past the limit", change: func(cfg *Config) { cfg.DropAttributes, cfg.Limit = nil, 1 }},
	{name: "nothing to do", change: func(cfg *Config) { cfg.DropAttributes = nil }},
	{name: "limited attributes", change: func(cfg *Config) {
		cfg.AttributeLimits = map[string]int{"id": 1, "route": 1, "user": 1}
		cfg.Overrides = []OverridesItem{{Metric: "*", Gauge: "sum", Summary: summaryFold}}
	}},
	{name: "audit", change: func(cfg *Config) { cfg.Mode, cfg.Limit = settings.Audit, 1 }},
}

// TestPairs processes any two metrics of one name and scope, in one request and in two.
// Nothing panics, deltas are conserved, and exporters can send all points.
func TestPairs(t *testing.T) {
	for _, setting := range pairSettings {
		t.Run(setting.name, func(t *testing.T) {
			r := newRig(t, setting.change, "tuft")
			for _, first := range pairKinds() {
				for _, second := range pairKinds() {
					requirePairs(t, r, first, second)
				}
			}
		})
	}
}

// requirePairs sends pairs of two kinds. It uses all shapes if the kinds are equal, since
// only then points are merged.
func requirePairs(t *testing.T, r *rig, first, second kindOfMetric) {
	t.Helper()
	as, bs, layouts := pairShapesOf(first.kind), pairShapesOf(second.kind), pairLayouts
	if first != second {
		as, bs, layouts = as[:min(len(as), 3)], bs[:min(len(bs), 3)], layouts[1:]
	}
	for _, a := range as {
		for _, b := range bs {
			for _, apart := range layouts {
				r.p.store.Reset()
				requests := apart(pairMetric(r, first, a, 1), pairMetric(r, second, b, 101))
				what := fmt.Sprint(first, " ", a.name, ", ", second, " ", b.name)
				requirePair(t, r, requests, what, a.honest && b.honest)
			}
		}
	}
}

// pairLayouts are the ways to put two metrics of one name, scope and resource into requests.
var pairLayouts = []func(a, b pmetric.Metrics) []pmetric.Metrics{
	func(a, b pmetric.Metrics) []pmetric.Metrics { return []pmetric.Metrics{both(a, b)} },
	func(a, b pmetric.Metrics) []pmetric.Metrics { return []pmetric.Metrics{a, b} },
	func(a, b pmetric.Metrics) []pmetric.Metrics { // in one container
		from, to := b.ResourceMetrics().At(0).ScopeMetrics().At(0), a.ResourceMetrics().At(0).ScopeMetrics().At(0)
		from.Metrics().MoveAndAppendTo(to.Metrics())
		return []pmetric.Metrics{a}
	},
}

func pairMetric(r *rig, kind kindOfMetric, shape pairShape, at float64) pmetric.Metrics {
	md, m := emptyMetric("s", "m")
	shape.fill(r, sample{kind: kind}.metric(m), at)
	return md
}

// requirePair sends requests and checks the output.
func requirePair(t *testing.T, r *rig, requests []pmetric.Metrics, what string, conserved bool) {
	t.Helper()
	sent, got := map[string]float64{}, map[string]float64{}
	points, out := 0, 0
	var outputs []pmetric.Metrics
	for _, md := range requests {
		addMeasured(md, sent)
		points += md.DataPointCount()
		outputs = append(outputs, r.process(md))
	}
	for _, md := range outputs {
		addMeasured(md, got)
		out += md.DataPointCount()
		requireWithinBounds(t, md, what)
	}
	if out > points {
		t.Fatalf("%s: %d points of %d", what, out, points)
	}
	if conserved {
		for kind := range sent {
			require.InDelta(t, sent[kind], got[kind], 1e-9, what)
		}
	}
}

// addMeasured adds up the values of deltas by type.
func addMeasured(md pmetric.Metrics, to map[string]float64) {
	add := func(dp kind.Point, kind string, measured float64) {
		if !dp.Flags().NoRecordedValue() {
			to[kind] += measured
		}
	}
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				switch {
				case m.Type() == pmetric.MetricTypeSum && m.Sum().AggregationTemporality() == pmetric.AggregationTemporalityDelta:
					for _, dp := range m.Sum().DataPoints().All() {
						add(dp, fmt.Sprint("sum ", m.Sum().IsMonotonic()), number(dp)["value"])
					}
				case m.Type() == pmetric.MetricTypeHistogram && m.Histogram().AggregationTemporality() == pmetric.AggregationTemporalityDelta:
					for _, dp := range m.Histogram().DataPoints().All() {
						add(dp, "histogram", float64(dp.Count()))
					}
				case m.Type() == pmetric.MetricTypeExponentialHistogram && m.ExponentialHistogram().AggregationTemporality() == pmetric.AggregationTemporalityDelta:
					for _, dp := range m.ExponentialHistogram().DataPoints().All() {
						add(dp, "exponential", float64(dp.Count()))
					}
				}
			}
		}
	}
}

// requireWithinBounds fails on a point that exporters cannot send.
func requireWithinBounds(t *testing.T, md pmetric.Metrics, what string) {
	t.Helper()
	within := func(b aggregate.Bounds) {
		t.Helper()
		if b != aggregate.Within {
			t.Fatalf("%s: out of bounds by %s", what, b)
		}
	}
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				switch m.Type() {
				case pmetric.MetricTypeHistogram:
					for _, dp := range m.Histogram().DataPoints().All() {
						within(aggregate.BoundHistogram(dp))
					}
				case pmetric.MetricTypeExponentialHistogram:
					for _, dp := range m.ExponentialHistogram().DataPoints().All() {
						within(aggregate.BoundExponential(dp))
					}
				case pmetric.MetricTypeSummary:
					for _, dp := range m.Summary().DataPoints().All() {
						within(aggregate.BoundSummary(dp))
					}
				}
			}
		}
	}
}
