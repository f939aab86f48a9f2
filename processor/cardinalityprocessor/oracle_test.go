// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/pointtype"
)

// The oracle computes the expected output by brute force. It keeps every series in maps by
// the text of its identity, and checks all of them after each batch. It shares no code with
// the processor.
//
// The value of a point is a vector: the value of a number, or the count and sum of a
// histogram and, for each bound b, the number of observations of at most b.
type vector map[string]float64

// received is a point of the input or output.
type received struct {
	series      string // resource, scope, metric and attributes
	attributes  map[string]any
	start, time pcommon.Timestamp
	stale       bool
	is          vector
}

// receive returns the points of a request.
func receive(md pmetric.Metrics) (all []received) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				base := fmt.Sprint(rm.Resource().Attributes().AsRaw(), sm.Scope().Name(), m.Name())
				add := func(dp pointtype.Point, is vector) {
					raw := dp.Attributes().AsRaw()
					all = append(all, received{
						series: base + fmt.Sprint(raw), attributes: raw,
						start: dp.StartTimestamp(), time: dp.Timestamp(), stale: dp.Flags().NoRecordedValue(), is: is,
					})
				}
				switch m.Type() {
				case pmetric.MetricTypeSum:
					for _, dp := range m.Sum().DataPoints().All() {
						add(dp, number(dp))
					}
				case pmetric.MetricTypeGauge:
					for _, dp := range m.Gauge().DataPoints().All() {
						add(dp, number(dp))
					}
				case pmetric.MetricTypeHistogram:
					for _, dp := range m.Histogram().DataPoints().All() {
						add(dp, explicit(dp))
					}
				case pmetric.MetricTypeExponentialHistogram:
					for _, dp := range m.ExponentialHistogram().DataPoints().All() {
						add(dp, exponential(dp))
					}
				case pmetric.MetricTypeSummary:
					for _, dp := range m.Summary().DataPoints().All() {
						add(dp, vector{"count": float64(dp.Count()), "sum": dp.Sum()})
					}
				}
			}
		}
	}
	return all
}

func number(dp pmetric.NumberDataPoint) vector {
	if dp.ValueType() == pmetric.NumberDataPointValueTypeInt {
		return vector{"value": float64(dp.IntValue())}
	}
	return vector{"value": dp.DoubleValue()}
}

func explicit(dp pmetric.HistogramDataPoint) vector {
	v := vector{"count": float64(dp.Count())}
	if dp.HasSum() {
		v["sum"] = dp.Sum()
	}
	below := uint64(0)
	for i, bound := range dp.ExplicitBounds().All() {
		below += dp.BucketCounts().At(i)
		v[fmt.Sprint("le ", bound)] = float64(below)
	}
	return v
}

func exponential(dp pmetric.ExponentialHistogramDataPoint) vector {
	v := vector{"count": float64(dp.Count()), "zero": float64(dp.ZeroCount())}
	if dp.HasSum() {
		v["sum"] = dp.Sum()
	}
	side := func(name string, b pmetric.ExponentialHistogramDataPointBuckets) {
		base := math.Pow(2, math.Pow(2, -float64(dp.Scale())))
		total := 0.0
		for _, n := range b.BucketCounts().All() {
			total += float64(n)
		}
		v[name] = total
		// At every scale of these tests the bounds lie between buckets.
		for _, bound := range []float64{1.0 / 16, 1, 16} {
			below := 0.0
			for i, n := range b.BucketCounts().All() {
				if math.Pow(base, float64(int(b.Offset())+i+1)) <= bound*(1+1e-9) {
					below += float64(n)
				}
			}
			v[fmt.Sprint(name, " ", bound)] = below
		}
	}
	side("positive", dp.Positive())
	side("negative", dp.Negative())
	return v
}

// reader adds up the values of a series, as a backend does.
type reader struct {
	kind  kindOfMetric
	since pcommon.Timestamp // the first value is a baseline if it did not start later
	from  bool              // it counts if it started exactly then

	known       bool
	stale       bool
	start, time pcommon.Timestamp
	valued      pcommon.Timestamp // the time of the last value
	last        vector
	total       vector
	seen        map[[2]pcommon.Timestamp]bool // the points of a delta
}

// read adds a point and reports whether it counts: it is newer than the last one, or a delta
// that was not read before.
func (r *reader) read(p received) bool {
	newer := p.time > r.time
	if r.kind.temporality == pmetric.AggregationTemporalityDelta && !p.stale {
		if r.seen[[2]pcommon.Timestamp{p.start, p.time}] {
			return false
		}
		if r.seen == nil {
			r.seen = map[[2]pcommon.Timestamp]bool{}
		}
		r.seen[[2]pcommon.Timestamp{p.start, p.time}] = true
	} else if !newer {
		return false
	}
	if newer {
		r.time, r.stale = p.time, p.stale
	}
	if p.stale {
		return true
	}
	if r.total == nil {
		r.total = vector{}
	}
	switch {
	case r.kind.temporality == pmetric.AggregationTemporalityDelta:
		r.add(p.is, nil)
	case !r.known && (p.start > r.since || r.from && p.start == r.since), r.known && p.start != r.start && p.start >= r.valued, r.known && decreased(p.is, r.last):
		r.add(p.is, nil)
	case !r.known:
		r.add(p.is, p.is)
	default:
		r.add(p.is, r.last)
	}
	r.known, r.start, r.valued, r.last = true, p.start, p.time, p.is
	return true
}

// add adds the increments since the last values. Bounds that a point lacks are removed.
func (r *reader) add(is, before vector) {
	for key, value := range is {
		if r.known {
			if _, ok := r.total[key]; !ok {
				continue
			}
		}
		if old, ok := before[key]; ok || before == nil {
			r.total[key] += value - old
		}
	}
	for key := range r.total {
		if _, ok := is[key]; !ok {
			delete(r.total, key)
		}
	}
}

func decreased(is, before vector) bool {
	for key, value := range is {
		if old, ok := before[key]; ok && key != "sum" && value < old {
			return true
		}
	}
	return false
}

// sumOf adds up the values that all have.
func sumOf(all []vector) vector {
	sum := vector{}
	for i, v := range all {
		if i == 0 {
			maps.Copy(sum, v)
			continue
		}
		for key := range sum {
			value, ok := v[key]
			if !ok {
				delete(sum, key)
				continue
			}
			sum[key] += value
		}
	}
	return sum
}

// without returns the identity of a series without an attribute.
func (p received) without(key string) string {
	attributes := maps.Clone(p.attributes)
	delete(attributes, key)
	return strings.TrimSuffix(p.series, fmt.Sprint(p.attributes)) + fmt.Sprint(attributes)
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// audience adds up the values of each series that it reads, as a backend does.
type audience struct {
	t     *testing.T
	kind  kindOfMetric
	since pcommon.Timestamp
	from  bool
	by    map[string]*reader
}

// senders returns an audience for the input. It does not count values from before the
// processor's start.
func (r *rig) senders(kind string) *audience { return r.audience(kind, false) }

// receivers returns an audience for the output.
func (r *rig) receivers(kind string) *audience { return r.audience(kind, true) }

func (r *rig) audience(kind string, from bool) *audience {
	i := slices.IndexFunc(kindsOfMetrics, func(k kindOfMetric) bool { return k.name == kind })
	require.GreaterOrEqual(r.t, i, 0, kind)
	return &audience{r.t, kindsOfMetrics[i], r.at(0), from, map[string]*reader{}}
}

// read reads a request, requires that its points are in order, and returns it.
func (c *audience) read(md pmetric.Metrics) pmetric.Metrics {
	c.t.Helper()
	for _, p := range receive(md) {
		rd := c.reader(p)
		before := rd.time
		require.True(c.t, p.time > before && rd.read(p), "not in order: %v after %v", p, before)
		require.LessOrEqual(c.t, p.start, p.time, "ends before its start: %v", p)
	}
	return md
}

// reader returns the reader of a point's series.
func (c *audience) reader(p received) *reader {
	rd := c.by[p.series]
	if rd == nil {
		rd = &reader{kind: c.kind, since: c.since, from: c.from}
		c.by[p.series] = rd
	}
	return rd
}

// total returns the sum over all series: of increments, or of the latest values of gauges
// and non-monotonic sums.
func (c *audience) total() float64 {
	sum := 0.0
	for _, rd := range c.by {
		switch {
		case !rd.known:
		case c.kind.monotonic || c.kind.temporality == pmetric.AggregationTemporalityDelta:
			sum += rd.total["value"] + rd.total["count"]
		case !rd.stale:
			sum += rd.last["value"]
		}
	}
	return sum
}
