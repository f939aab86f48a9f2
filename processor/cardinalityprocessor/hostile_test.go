// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
)

// numberPoints returns the points of a request of one sum or gauge.
func numberPoints(md pmetric.Metrics) pmetric.NumberDataPointSlice {
	return numbersOf(md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0))
}

func numbersOf(m pmetric.Metric) pmetric.NumberDataPointSlice {
	if m.Type() == pmetric.MetricTypeGauge {
		return m.Gauge().DataPoints()
	}
	return m.Sum().DataPoints()
}

// nested returns a value with a number of levels.
func nested(depth int) pcommon.Value {
	value := pcommon.NewValueInt(1)
	for i := range depth {
		outer := pcommon.NewValueEmpty()
		if i%2 == 0 {
			value.MoveTo(outer.SetEmptySlice().AppendEmpty())
		} else {
			value.MoveTo(outer.SetEmptyMap().PutEmpty("k"))
		}
		value = outer
	}
	return value
}

// odd are attributes that conformant senders do not send.

var odd = map[string]func(pcommon.Map){
	"a long text":     func(m pcommon.Map) { m.PutStr("user", strings.Repeat("x", 1<<20)) },
	"a long key":      func(m pcommon.Map) { m.PutStr(strings.Repeat("k", 1<<20), "v") },
	"invalid UTF-8":   func(m pcommon.Map) { m.PutStr("user", "\xff\xfe\x00") },
	"an invalid key":  func(m pcommon.Map) { m.PutStr("\xff", "x") },
	"no key":          func(m pcommon.Map) { m.PutStr("", "x") },
	"no value":        func(m pcommon.Map) { m.PutEmpty("user") },
	"NaN":             func(m pcommon.Map) { m.PutDouble("user", math.NaN()) },
	"negative zero":   func(m pcommon.Map) { m.PutDouble("user", math.Copysign(0, -1)) },
	"bytes":           func(m pcommon.Map) { m.PutEmptyBytes("user").FromRaw(make([]byte, 1<<16)) },
	"deep":            func(m pcommon.Map) { nested(10_000).MoveTo(m.PutEmpty("user")) },
	"an empty slice":  func(m pcommon.Map) { m.PutEmptySlice("user") },
	"an empty map":    func(m pcommon.Map) { m.PutEmptyMap("user") },
	"a wide map":      func(m pcommon.Map) { wide(m.PutEmptyMap("user"), 2000) },
	"many attributes": func(m pcommon.Map) { wide(m, 2000) },
	"overflow nested": func(m pcommon.Map) { m.PutEmptyMap("user").PutBool(identity.OverflowKey, true) },
}

func wide(m pcommon.Map, n int) {
	for i := range n {
		m.PutInt(fmt.Sprint("key", i), int64(i))
	}
}

// TestOddAttributes checks that each odd set of attributes is a series: it is kept within
// the limit and merged past it, its ids are dropped, and its values are limited.
func TestOddAttributes(t *testing.T) {
	for name, put := range odd {
		t.Run(name, func(t *testing.T) {
			f := func(change func(*Config), want float64) {
				t.Helper()
				r := newRig(t, change)
				in, out := r.senders("delta_sum"), r.receivers("delta_sum")
				for round := range 3 {
					md := r.deltas(pt{"", 1, float64(10 * (round + 1)), 3}, pt{"user=a", 1, float64(10 * (round + 1)), 5}, pt{"user=a id=1", 1, float64(10 * (round + 1)), 7})
					put(numberPoints(md).At(0).Attributes())
					in.read(md)
					md = out.read(r.process(md))
					require.InDelta(t, want, md.DataPointCount(), 0)
				}
				require.InDelta(t, 45, in.total(), 0)
				require.InDelta(t, 45, out.total(), 0)
			}
			f(nil, 2)
			f(func(cfg *Config) { cfg.Limit = 1 }, 2)
			f(func(cfg *Config) { cfg.AttributeLimits = map[string]int{"user": 1} }, 2)
			f(func(cfg *Config) { cfg.DropAttributes = []string{"id", "user"} }, 1+float64(differs(put)))
			f(func(cfg *Config) { cfg.Mode = policy.Audit }, 3)
		})
	}
}

// differs returns 1 if attributes other than the user remain, else 0.
func differs(put func(pcommon.Map)) int {
	m := pcommon.NewMap()
	put(m)
	m.Remove("user")
	return min(1, m.Len())
}

// TestDuplicateKeys checks attribute maps with a duplicate key, which only encoded
// requests can have.
func TestDuplicateKeys(t *testing.T) {
	twice := func(r *rig, first, second string, at float64) pmetric.Metrics {
		md := r.deltas(pt{"aa=" + first + " bb=" + second, at - 1, at, 1})
		data, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
		require.NoError(t, err)
		md, err = (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics([]byte(strings.Replace(string(data), "bb", "aa", 1)))
		require.NoError(t, err)
		require.Equal(t, 2, numberPoints(md).At(0).Attributes().Len())
		return md
	}
	f := func(change func(*Config)) {
		t.Helper()
		r := plainRig(t, change)
		sum := int64(0)
		for i := range 30 {
			md := r.process(twice(r, fmt.Sprint(i%3), fmt.Sprint(i%5), float64(10+i)))
			require.Equal(t, 1, md.DataPointCount())
			sum += numberPoints(md).At(0).IntValue()
		}
		require.Equal(t, int64(30), sum)
		require.LessOrEqual(t, r.series(), int64(15))
	}
	f(nil)
	f(func(cfg *Config) { cfg.Limit = 2 })
	f(func(cfg *Config) { cfg.AttributeLimits = map[string]int{"aa": 1} })
	f(func(cfg *Config) { cfg.DropAttributes = []string{"aa"} })
}

// TestOddValues checks that values that cannot be summed are dropped and counted where
// they would be merged. The others are conserved.
func TestOddValues(t *testing.T) {
	f := func(kind string, request func(*rig, ...pt) pmetric.Metrics) {
		t.Helper()
		telemetry := componenttest.NewTelemetry()
		r := newRig(t, nil)
		r.countInto(telemetry)
		in, out := r.senders(kind), r.receivers(kind)
		md := request(r, pt{"id=3", 1, 5, 1}, pt{"id=5", 1, 5, 1}, pt{"id=7", 1, 5, 1}) // known ones as well
		in.read(md)
		out.read(r.process(md))
		for round := range 3 {
			at := float64(10 * (round + 1))
			md := request(r, pt{"id=1", 1, at, 5}, pt{"id=2", 1, at, 2.5})
			in.read(md)
			r.numbers(numberPoints(md), []pt{{"id=3", 1, at, math.NaN()}, {"id=4", 1, at, math.Inf(1)}, {"id=5", 1, at, math.Inf(-1)}, {"id=6", 1, at, 7}, {"id=7", 1, at, 8}, {"id=8", 1, at, 9}})
			numberPoints(md).At(5).SetTimestamp(0)
			numberPoints(md).At(6).SetTimestamp(math.MaxUint64)
			pmetric.NewNumberDataPoint().MoveTo(numberPoints(md).At(7)) // all of it
			out.read(r.process(md))
			require.InDelta(t, in.total(), out.total(), 0)
		}
		require.Equal(t, map[string]int64{"malformed": 18}, labelled(t, telemetry, "otelcol_cardinality_dropped_points", "reason"))
	}
	f("delta_sum", (*rig).deltas)
	f("cumulative_sum", (*rig).counters)
	f("updown", (*rig).updowns)
}

// TestOddHistograms checks that malformed histograms are dropped where they would be
// merged.
func TestOddHistograms(t *testing.T) {
	f := func(temporality pmetric.AggregationTemporality, spoil func(pmetric.HistogramDataPoint)) {
		t.Helper()
		r := newRig(t, nil)
		md := r.histograms(temporality, hist{pt{"id=1", 1, 10, nil}, []float64{1, 2}, []float64{1, 2, 3}}, hist{pt{"id=2", 1, 10, nil}, []float64{1, 2}, []float64{1}})
		spoil(md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Histogram().DataPoints().At(1))
		out := receive(r.process(md))
		require.Len(t, out, 1)
		require.Equal(t, vector{"count": 3, "sum": 6, "le 1": 1, "le 2": 2}, out[0].is)
	}
	for _, temporality := range []pmetric.AggregationTemporality{pmetric.AggregationTemporalityDelta, pmetric.AggregationTemporalityCumulative} {
		f(temporality, func(dp pmetric.HistogramDataPoint) { dp.SetCount(7) })
		f(temporality, func(dp pmetric.HistogramDataPoint) { dp.ExplicitBounds().FromRaw([]float64{2, 1}) })
		f(temporality, func(dp pmetric.HistogramDataPoint) { dp.ExplicitBounds().FromRaw([]float64{1}) })
		f(temporality, func(dp pmetric.HistogramDataPoint) { dp.ExplicitBounds().FromRaw([]float64{1, math.NaN()}) })
		f(temporality, func(dp pmetric.HistogramDataPoint) { dp.BucketCounts().FromRaw(nil) })
		f(temporality, func(dp pmetric.HistogramDataPoint) { dp.BucketCounts().FromRaw([]uint64{math.MaxUint64, 2, 0}) })
	}
}
