// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// measured is what one source's metrics said, as sent or as received: the same is
// asked of both.
type measured struct {
	points   int
	series   map[string]bool
	families map[string]streams // by original name
	doubled  map[string]bool    // families with two points of one series at one time
}

func newMeasured() *measured {
	return &measured{series: map[string]bool{}, families: map[string]streams{}, doubled: map[string]bool{}}
}

// streams are the series of one family by what tells them apart.
type streams map[string]*stream

// stream is what a series counted, if it counts at all.
type stream struct {
	counts      bool
	start, last pcommon.Timestamp
	from, to    float64 // the first value and the last
}

func (m *measured) add(original, container string, metric pmetric.Metric) {
	family := m.families[original]
	if family == nil {
		family = streams{}
		m.families[original] = family
	}
	point := func(p dataPoint, value float64, counts bool) {
		m.points++
		// With %#v, 1 and "1" are different, and keys are sorted.
		key := fmt.Sprintf("%s %s %#v", container, metric.Name(), p.Attributes().AsRaw())
		m.series[key] = true
		s := family[key]
		if s == nil {
			s = &stream{counts: counts, start: p.StartTimestamp(), from: value}
			family[key] = s
		} else if s.last == p.Timestamp() {
			m.doubled[original] = true
		}
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

// grown is what a family counted, if it counts, as far as somebody who looks since a
// time can tell: a series that started before it had counted its first value by then.
func (s streams) grown(since time.Time) (sum float64, counts bool) {
	for _, one := range s {
		counts = counts || one.counts
		if one.start.AsTime().After(since) {
			sum += one.to
		} else {
			sum += one.to - one.from
		}
	}
	return sum, counts
}

// compare notes what is wrong with the metrics received. Points and series may be
// fewer, since ids are removed; what was counted may not differ.
func (r *reporter) compare(source string, sent, received *measured) {
	for _, family := range slices.Sorted(maps.Keys(sent.families)) {
		in, counts := sent.families[family].grown(r.since)
		out, _ := received.families[family].grown(r.since)
		// Sums of floating-point numbers depend on their order.
		if received.families[family] == nil {
			r.fault(source, "metric lost: %q", family)
		} else if counts && math.Abs(in-out) > 1e-9*max(in, out) {
			r.fault(source, "%s: counted %v in, %v out", family, in, out)
		}
	}
	if received.points > sent.points {
		r.fault(source, "%d metric points in, %d out", sent.points, received.points)
	}
}

// perIndex are names per index, which become one metric under the first one's name.
var perIndex = regexp.MustCompile(`_rate_\d+$`)

// missing notes the families of a page that did not arrive.
func (r *reporter) missing(source string, scraped *measured, families []string) {
	for _, family := range families {
		if scraped.families[perIndex.ReplaceAllString(family, "_rate_0")] == nil {
			r.fault(source, "metric lost: %q", family)
		}
	}
}

func number(p pmetric.NumberDataPoint) float64 {
	if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
		return float64(p.IntValue())
	}
	return p.DoubleValue()
}
