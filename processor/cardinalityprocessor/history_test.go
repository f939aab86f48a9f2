// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/pointtype"
)

// A history is what some streams send over time. It shares no code with the processor.
type history struct {
	*rand.Rand
	kind    kindOfMetric
	streams []*sender
	now     time.Time
	held    []sample // deltas that other requests overtake
	// instances: the resources are instances of one service.
	instances bool
	// once: no point is sent twice or late.
	once bool
}

type kindOfMetric struct {
	name        string
	kind        pmetric.MetricType
	temporality pmetric.AggregationTemporality
	monotonic   bool
}

var kindsOfMetrics = []kindOfMetric{
	{"cumulative_sum", pmetric.MetricTypeSum, pmetric.AggregationTemporalityCumulative, true},
	{"delta_sum", pmetric.MetricTypeSum, pmetric.AggregationTemporalityDelta, true},
	{"delta_updown", pmetric.MetricTypeSum, pmetric.AggregationTemporalityDelta, false},
	{"updown", pmetric.MetricTypeSum, pmetric.AggregationTemporalityCumulative, false},
	{"gauge", pmetric.MetricTypeGauge, pmetric.AggregationTemporalityUnspecified, false},
	{"cumulative_histogram", pmetric.MetricTypeHistogram, pmetric.AggregationTemporalityCumulative, true},
	{"delta_histogram", pmetric.MetricTypeHistogram, pmetric.AggregationTemporalityDelta, true},
	{"cumulative_exponential", pmetric.MetricTypeExponentialHistogram, pmetric.AggregationTemporalityCumulative, true},
	{"delta_exponential", pmetric.MetricTypeExponentialHistogram, pmetric.AggregationTemporalityDelta, true},
	{"summary", pmetric.MetricTypeSummary, pmetric.AggregationTemporalityCumulative, true},
}

// wander is how much a start varies.
const wander = 200 * time.Millisecond

// sender is one stream.
type sender struct {
	resource, scope string
	kept, id        string // the attributes; an empty id is not sent
	double          bool
	bounds          []float64
	wanders         bool          // its start is now minus its uptime, which varies
	ahead           time.Duration // of the others' clocks
	start, time     time.Time
	stale           bool      // its last point was a stale marker
	seen            []float64 // what was observed since the start, or since the last point of a delta
	value           float64   // of a sum or a gauge
}

// sample is one point that is sent.
type sample struct {
	from            *sender
	resource, scope string
	kept, id        string
	start, time     time.Time
	stale, double   bool
	value           float64
	seen            []float64
	bounds          []float64
	kind            kindOfMetric
}

// newHistory returns streams that began before or after epoch.
func newHistory(r *rand.Rand, kind kindOfMetric, epoch time.Time) *history {
	h := &history{Rand: r, kind: kind, now: epoch.Add(time.Minute)}
	for range 1 + r.IntN(6) {
		s := &sender{
			resource: h.pick("a", "b"), scope: h.pick("s", "s", "t"),
			kept: h.pick("", "x", "y"), id: h.pick("", "1", "2", "3"), double: r.IntN(3) == 0,
			start: epoch.Add(time.Duration(r.IntN(40)-20)*time.Second + time.Millisecond),
		}
		for _, bound := range []float64{-5, 0, 5, 10, 100} {
			if r.IntN(4) > 0 {
				s.bounds = append(s.bounds, bound)
			}
		}
		switch h.IntN(8) {
		case 0:
			s.ahead = 3 * time.Hour // of the processor's clock as well
		case 1, 2:
			s.wanders = true
		}
		s.start = s.start.Add(s.ahead)
		// One stream has one sender, except for deltas.
		if kind.temporality == pmetric.AggregationTemporalityDelta || !slices.ContainsFunc(h.streams, func(o *sender) bool { return o.key() == s.key() }) {
			h.streams = append(h.streams, s)
		}
	}
	return h
}

func (s *sender) key() string { return fmt.Sprint(s.resource, "|", s.scope, "|", s.kept, "|", s.id) }

func (h *history) pick(choices ...string) string { return choices[h.IntN(len(choices))] }

// step advances the time and returns the points that are sent then, in order.
func (h *history) step() (sent []sample) {
	h.now = h.now.Add(time.Duration(1+h.IntN(20)) * time.Second)
	sent, h.held = h.held, nil
	for i, s := range h.streams {
		if h.IntN(4) == 0 {
			continue
		}
		putRight := s.ahead != 0 && !s.time.IsZero() && !s.stale && h.IntN(6) == 0
		if putRight { // then the next value is no restart and no end
			s.start, s.time, s.ahead = s.start.Add(-s.ahead), s.time.Add(-s.ahead), 0
		} else if h.IntN(6) == 0 && !s.time.IsZero() { // a restart, with or without a new start
			s.seen, s.value = nil, 0
			// The oracle detects no reset of single buckets, so histograms state a new start.
			if h.IntN(3) > 0 || s.wanders || h.kind.kind != pmetric.MetricTypeSum {
				s.start = s.time.Add(2 * wander)
			}
		}
		delta := h.kind.temporality == pmetric.AggregationTemporalityDelta
		if delta {
			if !s.time.IsZero() {
				s.start = s.time
			}
			s.seen, s.value = nil, 0
		}
		for range h.IntN(4) {
			observed := float64(h.IntN(400)-100) / 8
			s.seen = append(slices.Clip(s.seen), observed)
			if h.kind.monotonic {
				observed = math.Abs(observed)
			}
			if !s.double {
				observed = math.Trunc(observed)
			}
			s.value += observed
		}
		// No two points have the same time, so that one gauge is the newest.
		at := h.now.Add(s.ahead - time.Duration(10*h.IntN(300)+i)*time.Millisecond)
		for _, earliest := range []time.Time{s.time.Add(10 * time.Millisecond), s.start.Add(2 * wander)} {
			if at.Before(earliest) {
				at = earliest
			}
		}
		s.time = at
		point := sample{
			from: s, resource: s.resource, scope: s.scope, kept: s.kept, id: s.id, start: s.start, time: s.time,
			double: s.double, value: s.value, seen: s.seen, bounds: s.bounds, kind: h.kind,
		}
		if s.wanders && !delta {
			point.start = point.start.Add(time.Duration(h.IntN(3)-1) * wander)
		}
		s.stale = false
		how := h.IntN(12)
		if putRight || h.once && how < 3 {
			how = 11
		}
		switch how {
		case 0:
			point.stale, s.stale = true, true
			if !delta { // the next point includes the value that the marker replaced
				break
			}
			s.seen, s.value = nil, 0
		case 1: // twice
			sent = append(sent, point)
		case 2: // once more, late
			if delta {
				h.held = append(h.held, point)
				continue
			}
			late := point
			if late.time = late.time.Add(-time.Minute); late.time.Before(late.start) {
				late.time = late.start
			}
			sent = append(sent, point)
			point = late
		}
		sent = append(sent, point)
	}
	return sent
}

// batches splits points into requests, and these into containers, some of them equal.
func (h *history) batches(sent []sample) (batches [][]sample) {
	h.Shuffle(len(sent), func(i, j int) { sent[i], sent[j] = sent[j], sent[i] })
	for len(sent) > 0 {
		n := 1 + h.IntN(len(sent))
		batches = append(batches, sent[:n])
		sent = sent[n:]
	}
	return batches
}

// request returns points as pdata. Neighbours share containers at random.
func (h *history) request(batch []sample) pmetric.Metrics {
	md := pmetric.NewMetrics()
	var metric pmetric.Metric
	var sm pmetric.ScopeMetrics
	for i, point := range batch {
		newResource := i == 0 || batch[i-1].resource != point.resource || h.IntN(4) == 0
		if newResource {
			rm := md.ResourceMetrics().AppendEmpty()
			rm.Resource().Attributes().PutStr("service.name", point.resource)
			if h.instances {
				rm.Resource().Attributes().PutStr("service.name", "s")
				rm.Resource().Attributes().PutStr("service.instance.id", point.resource)
			}
			sm = rm.ScopeMetrics().AppendEmpty()
		}
		if newScope := newResource || batch[i-1].scope != point.scope; newScope {
			if !newResource {
				sm = md.ResourceMetrics().At(md.ResourceMetrics().Len() - 1).ScopeMetrics().AppendEmpty()
			}
			sm.Scope().SetName(point.scope)
			metric = point.metric(sm.Metrics().AppendEmpty())
		} else if h.IntN(4) == 0 {
			metric = point.metric(sm.Metrics().AppendEmpty())
		}
		point.write(metric)
	}
	return md
}

func (p sample) metric(m pmetric.Metric) pmetric.Metric {
	m.SetName(p.kind.name)
	switch p.kind.kind {
	case pmetric.MetricTypeSum:
		m.SetEmptySum().SetAggregationTemporality(p.kind.temporality)
		m.Sum().SetIsMonotonic(p.kind.monotonic)
	case pmetric.MetricTypeGauge:
		m.SetEmptyGauge()
	case pmetric.MetricTypeHistogram:
		m.SetEmptyHistogram().SetAggregationTemporality(p.kind.temporality)
	case pmetric.MetricTypeExponentialHistogram:
		m.SetEmptyExponentialHistogram().SetAggregationTemporality(p.kind.temporality)
	case pmetric.MetricTypeSummary:
		m.SetEmptySummary()
	}
	return m
}

func (p sample) write(m pmetric.Metric) {
	switch p.kind.kind {
	case pmetric.MetricTypeSum:
		p.number(m.Sum().DataPoints().AppendEmpty())
	case pmetric.MetricTypeGauge:
		p.number(m.Gauge().DataPoints().AppendEmpty())
	case pmetric.MetricTypeHistogram:
		dp := m.Histogram().DataPoints().AppendEmpty()
		p.common(dp)
		dp.SetCount(uint64(len(p.seen)))
		dp.SetSum(total(p.seen))
		dp.ExplicitBounds().FromRaw(p.bounds)
		counts := make([]uint64, len(p.bounds)+1)
		for _, v := range p.seen {
			i := 0
			for i < len(p.bounds) && v > p.bounds[i] {
				i++
			}
			counts[i]++
		}
		dp.BucketCounts().FromRaw(counts)
	case pmetric.MetricTypeExponentialHistogram:
		dp := m.ExponentialHistogram().DataPoints().AppendEmpty()
		p.common(dp)
		dp.SetCount(uint64(len(p.seen)))
		dp.SetSum(total(p.seen))
		dp.SetScale(0)
		var negative, positive [16]uint64 // base 2, from 2^-6
		for _, v := range p.seen {
			switch {
			case v == 0:
				dp.SetZeroCount(dp.ZeroCount() + 1)
			case v > 0:
				positive[int(math.Ceil(math.Log2(v)))-1+6]++
			default:
				negative[int(math.Ceil(math.Log2(-v)))-1+6]++
			}
		}
		dp.Positive().SetOffset(-6)
		dp.Positive().BucketCounts().FromRaw(positive[:])
		dp.Negative().SetOffset(-6)
		dp.Negative().BucketCounts().FromRaw(negative[:])
	case pmetric.MetricTypeSummary:
		dp := m.Summary().DataPoints().AppendEmpty()
		p.common(dp)
		dp.SetCount(uint64(len(p.seen)))
		dp.SetSum(total(p.seen))
	}
}

func (p sample) number(dp pmetric.NumberDataPoint) {
	p.common(dp)
	if p.double {
		dp.SetDoubleValue(p.value)
	} else {
		dp.SetIntValue(int64(p.value))
	}
}

func (p sample) common(dp pointtype.Point) {
	if p.kept != "" {
		dp.Attributes().PutStr("kept", p.kept)
	}
	if p.id != "" {
		dp.Attributes().PutStr("id", p.id)
	}
	dp.SetStartTimestamp(pcommon.NewTimestampFromTime(p.start))
	dp.SetTimestamp(pcommon.NewTimestampFromTime(p.time))
	dp.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(p.stale))
}

func total(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}
