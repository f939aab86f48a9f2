// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// metrics is what one source's metrics said, as sent or as received: the same is asked of both.
type metrics struct {
	families map[string]family // by original name
	doubled  map[string]bool   // families with two points of one series at one time
}

func newMetrics() metrics { return metrics{map[string]family{}, map[string]bool{}} }

// family has the series of one name by what tells them apart.
type family map[string]*series

// series is what a series counted, if it counts at all.
type series struct {
	points      int
	counts      bool
	start, last pcommon.Timestamp
	from, to    float64 // the first value and the last
}

func (m metrics) add(original, container string, metric pmetric.Metric) {
	if m.families[original] == nil {
		m.families[original] = family{}
	}
	point := func(p dataPoint, value float64, counts bool) {
		// With %#v, 1 and "1" are different, and keys are sorted.
		key := fmt.Sprintf("%s %s %#v", container, metric.Name(), p.Attributes().AsRaw())
		s := m.families[original][key]
		if s == nil {
			s = &series{counts: counts, start: p.StartTimestamp(), from: value}
			m.families[original][key] = s
		} else if s.last == p.Timestamp() {
			m.doubled[original] = true
		}
		s.points++
		s.last, s.to = p.Timestamp(), value
	}
	switch metric.Type() {
	case pmetric.MetricTypeGauge:
		for _, p := range metric.Gauge().DataPoints().All() {
			point(p, number(p), false)
		}
	case pmetric.MetricTypeSum:
		for _, p := range metric.Sum().DataPoints().All() {
			point(p, number(p), metric.Sum().IsMonotonic())
		}
	case pmetric.MetricTypeHistogram:
		for _, p := range metric.Histogram().DataPoints().All() {
			point(p, float64(p.Count()), true)
		}
	}
}

// dataPoint is what the points of all kinds of metrics have.
type dataPoint interface {
	Attributes() pcommon.Map
	StartTimestamp() pcommon.Timestamp
	Timestamp() pcommon.Timestamp
}

func number(p pmetric.NumberDataPoint) float64 {
	if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
		return float64(p.IntValue())
	}
	return p.DoubleValue()
}

// has reports whether there is a metric of an original name.
func (m metrics) has(original string) bool { return m.families[original] != nil }

// size returns how many points and series there are.
func (m metrics) size() (points, all int) {
	for _, f := range m.families {
		all += len(f)
		for _, s := range f {
			points += s.points
		}
	}
	return points, all
}

// grown is what a family counted, if it counts, as far as somebody who looks since a
// time can tell: a series that started before it had counted its first value by then.
func (f family) grown(since time.Time) (sum float64, counts bool) {
	for _, s := range f {
		counts = counts || s.counts
		sum += s.to
		if !s.start.AsTime().After(since) {
			sum -= s.from
		}
	}
	return sum, counts
}

// compare notes what is wrong with the metrics received. Points and series may be
// fewer, since ids are removed; what was counted may not differ.
func (r *reporter) compare(source string, sent, received metrics) {
	for _, name := range slices.Sorted(maps.Keys(sent.families)) {
		in, counts := sent.families[name].grown(r.since)
		out, _ := received.families[name].grown(r.since)
		// Sums of floating-point numbers depend on their order.
		if received.families[name] == nil {
			r.fault(source, "metric lost: %q", name)
		} else if counts && math.Abs(in-out) > 1e-9*max(in, out) {
			r.fault(source, "%s: counted %v in, %v out", name, in, out)
		}
	}
	in, _ := sent.size()
	if out, _ := received.size(); out > in {
		r.fault(source, "%d metric points in, %d out", in, out)
	}
}
