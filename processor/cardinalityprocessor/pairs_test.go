// SPDX-License-Identifier: Apache-2.0

//go:build !race

// The test has one goroutine. The race detector would make it fifty times slower.

package cardinalityprocessor

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/xpdata"

	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/pointtype"
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
	{name: "audit", change: func(cfg *Config) { cfg.Mode, cfg.Limit = policy.Audit, 1 }},
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

// requirePair sends requests and checks the output: it has no more points, and exporters can send them.
func requirePair(t *testing.T, r *rig, requests []pmetric.Metrics, what string) {
	t.Helper()
	points, out := 0, 0
	for _, md := range requests {
		points += md.DataPointCount()
		md = r.process(md)
		out += md.DataPointCount()
		requireWithinBounds(t, md, what)
	}
	if out > points {
		t.Fatalf("%s: %d points of %d", what, out, points)
	}
}

// requireWithinBounds fails on a point that exporters cannot send.
func requireWithinBounds(t *testing.T, md pmetric.Metrics, what string) {
	t.Helper()
	if b := outOfBounds(md); b != aggregate.Within {
		t.Fatalf("%s: out of bounds by %s", what, b)
	}
}

// entropy turns fuzzed bytes into values, and returns zeros when they are used up.
type entropy []byte

func (e *entropy) byte() byte {
	if len(*e) == 0 {
		return 0
	}
	b := (*e)[0]
	*e = (*e)[1:]
	return b
}

func (e *entropy) below(n int) int { return int(e.byte()) % n }

func (e *entropy) uint64() uint64 {
	var b [8]byte
	*e = (*e)[copy(b[:], *e):]
	return binary.LittleEndian.Uint64(b[:])
}

// number returns a small number, a power of two, or any number.
func (e *entropy) number() int64 {
	switch b := e.byte(); {
	case b < 128:
		return int64(b) - 64
	case b < 192:
		return 1 << (b - 128)
	case b < 255:
		return -1 << (b - 192)
	default:
		return int64(e.uint64())
	}
}

func (e *entropy) float() float64 {
	if n := e.byte(); n != 255 {
		return float64(n) - 64
	}
	return math.Float64frombits(e.uint64())
}

func (e *entropy) counts() (counts []uint64) {
	for range e.below(6) {
		counts = append(counts, uint64(e.number()))
	}
	if e.below(8) == 7 {
		counts = append(make([]uint64, e.below(256)*8), counts...)
	}
	return counts
}

// metric fills a metric with points of a few intervals and attributes.
func (e *entropy) metric(r *rig, m pmetric.Metric) {
	kinds := pairKinds()
	kind := kinds[e.below(len(kinds))]
	sample{kind: kind}.metric(m)
	for range e.below(4) {
		var dp pointtype.Point
		var count func(uint64)
		total := uint64(0)
		switch kind.kind {
		case pmetric.MetricTypeGauge, pmetric.MetricTypeSum:
			number := numbersOf(m).AppendEmpty()
			switch dp = number; e.below(3) {
			case 0:
				number.SetIntValue(e.number())
			case 1:
				number.SetDoubleValue(e.float())
			}
		case pmetric.MetricTypeHistogram:
			histogram := m.Histogram().DataPoints().AppendEmpty()
			dp, count = histogram, histogram.SetCount
			histogram.BucketCounts().FromRaw(e.counts())
			for range e.below(6) {
				histogram.ExplicitBounds().Append(e.float())
			}
			total = addedUp(histogram.BucketCounts())
			histogram.SetSum(e.float())
		case pmetric.MetricTypeExponentialHistogram:
			histogram := m.ExponentialHistogram().DataPoints().AppendEmpty()
			dp, count = histogram, histogram.SetCount
			histogram.SetScale(int32(e.number()))
			histogram.SetZeroThreshold(e.float())
			histogram.SetZeroCount(uint64(e.number()))
			for _, side := range []pmetric.ExponentialHistogramDataPointBuckets{histogram.Positive(), histogram.Negative()} {
				side.SetOffset(int32(e.number()))
				side.BucketCounts().FromRaw(e.counts())
				total += addedUp(side.BucketCounts())
			}
			total += histogram.ZeroCount()
			histogram.SetSum(e.float())
		case pmetric.MetricTypeSummary:
			summary := m.Summary().DataPoints().AppendEmpty()
			dp, count = summary, summary.SetCount
			for range e.below(4) {
				summary.QuantileValues().AppendEmpty().SetQuantile(e.float() / 64)
			}
		default:
			return
		}
		if count != nil && e.below(4) == 3 {
			total = uint64(e.number())
		}
		if count != nil {
			count(total)
		}
		pairAttributes[e.below(len(pairAttributes))](dp.Attributes())
		start := e.below(16)
		dp.SetStartTimestamp(r.at(float64(start)))
		dp.SetTimestamp(r.at(float64(start + e.below(4))))
		dp.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(e.below(8) == 7))
	}
}

func addedUp(counts pcommon.UInt64Slice) (sum uint64) {
	for _, count := range counts.All() {
		sum += count
	}
	return sum
}

// FuzzPairs processes two metrics of one name, scope and resource in several layouts,
// twice. It must not panic, and must not send what exporters cannot send.
func FuzzPairs(f *testing.F) {
	for kind := range len(pairKinds()) {
		for other := range len(pairKinds()) {
			f.Add(byte(kind+other), append([]byte{byte(kind), 1, 1, 65, 1, 2, 66, 67, 0, 0, 0, 1, 2}, byte(other), 2, 1, 65, 1, 2, 66, 67))
		}
	}
	f.Fuzz(processPair)
}

// TestRandomPairs does the same with random bytes.
func TestRandomPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 7))
	for range 2000 {
		data := make([]byte, random.IntN(160))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		processPair(t, byte(random.Uint32()), data)
	}
}

func processPair(t *testing.T, how byte, data []byte) {
	setting := pairSettings[int(how)%len(pairSettings)]
	r := newRig(t, setting.change, "tuft")
	random := entropy(data)
	a, first := emptyMetric("s", "m")
	random.metric(r, first)
	b, second := emptyMetric("s", "m")
	random.metric(r, second)
	requests := pairLayouts[int(how)/len(pairSettings)%len(pairLayouts)](a, b)
	var again []pmetric.Metrics
	for _, md := range requests {
		copied := pmetric.NewMetrics()
		md.CopyTo(copied)
		again = append(again, copied)
	}
	requirePair(t, r, requests, setting.name)
	requirePair(t, r, again, setting.name)
}
