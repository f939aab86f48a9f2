// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// meterDescription is what one SDK instance measures in one scope.
type meterDescription struct {
	Process string `yaml:"process"`
	Scope   string `yaml:"scope"`
	Version string `yaml:"version"`
	// StartsSeries says that a series starts with its first measurement, as Python's
	// SDK has it, and not with the SDK, as C++'s has it.
	StartsSeries bool         `yaml:"starts_series"`
	Instruments  []instrument `yaml:"instruments"`
}

// instrument is one of a meter, with the state of its series.
type instrument struct {
	// Kind is counter, int_counter, int_up_down_counter, gauge, int_gauge or histogram.
	Kind        string `yaml:"kind"`
	Name        string `yaml:"name"`
	Unit        string `yaml:"unit"`
	Description string `yaml:"description"`
	// As tells the instrument from another of that name.
	As string `yaml:"as"`

	series       []*series
	byAttributes map[string]*series
}

// seriesLimit is the SDK's cardinality limit per instrument. The default of the
// SDKs is 2000; it is lower here so that an export stays small and the overflow
// series shows within seconds.
const seriesLimit = 16

// defaultBounds are the SDK's. They are meant for milliseconds; the systems use
// them for seconds and tokens per second as well.
var defaultBounds = []float64{0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10000}

var overflow = map[string]any{"otel.metric.overflow": true}

// meter keeps the state of an SDK's cumulative instruments.
type meter struct {
	name, process, scope, version string
	start                         time.Time
	startsSeries                  bool
	exported                      time.Time // when last
	instruments                   []*instrument
}

type series struct {
	attrs        map[string]any
	start        pcommon.Timestamp // set by the first export
	value        float64           // a histogram's sum
	min, max     float64
	count        uint64
	bucketCounts []uint64
}

func newMeter(name string, d meterDescription, start time.Time) *meter {
	m := &meter{name: name, process: d.Process, scope: d.Scope, version: d.Version, start: start, startsSeries: d.StartsSeries}
	for _, i := range d.Instruments {
		i.byAttributes = map[string]*series{}
		m.instruments = append(m.instruments, &i)
	}
	return m
}

// record feeds the first instrument of that name, or the one that is known by it.
func (m *meter) record(name string, value float64, attrs map[string]any) {
	for _, i := range m.instruments {
		if i.As == name || i.As == "" && i.Name == name {
			i.record(value, attrs)
			return
		}
	}
	panic(m.name + " has no instrument " + name)
}

// record adds value to a sum, sets a gauge to it, or observes it in a histogram.
func (i *instrument) record(value float64, attrs map[string]any) {
	s := i.at(attrs)
	switch i.Kind {
	case "gauge", "int_gauge":
		s.value = value
	case "histogram":
		if s.count == 0 {
			s.min, s.max = value, value
			s.bucketCounts = make([]uint64, len(defaultBounds)+1)
		}
		s.min, s.max = min(s.min, value), max(s.max, value)
		s.count++
		s.value += value
		bucket, _ := slices.BinarySearch(defaultBounds, value)
		s.bucketCounts[bucket]++
	default:
		s.value += value
	}
}

func (i *instrument) at(attrs map[string]any) *series {
	key := fmt.Sprintf("%v", attrs)
	if _, known := i.byAttributes[key]; !known && len(i.series) >= seriesLimit-1 {
		attrs = overflow
		key = fmt.Sprintf("%v", attrs)
	}
	s, known := i.byAttributes[key]
	if !known {
		s = &series{attrs: attrs}
		i.byAttributes[key] = s
		i.series = append(i.series, s)
	}
	return s
}

// export writes all series, touched since the last export or not, as the SDKs do
// with cumulative temporality.
func (m *meter) export(now time.Time, sm pmetric.ScopeMetrics) {
	sm.Scope().SetName(m.scope)
	sm.Scope().SetVersion(m.version)
	start := m.start
	if m.startsSeries && !m.exported.IsZero() {
		start = m.exported // the first measurement came after it
	}
	m.exported = now
	for _, i := range m.instruments {
		if len(i.series) == 0 {
			continue
		}
		metric := sm.Metrics().AppendEmpty()
		metric.SetName(i.Name)
		metric.SetUnit(i.Unit)
		metric.SetDescription(i.Description)
		for _, s := range i.series {
			if s.start == 0 {
				s.start = pcommon.NewTimestampFromTime(start)
			}
		}
		i.export(pcommon.NewTimestampFromTime(now), metric)
	}
}

func (i *instrument) export(now pcommon.Timestamp, metric pmetric.Metric) {
	switch i.Kind {
	case "gauge", "int_gauge":
		i.exportNumbers(now, metric.SetEmptyGauge().DataPoints())
	case "histogram":
		h := metric.SetEmptyHistogram()
		h.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		for _, s := range i.series {
			p := h.DataPoints().AppendEmpty()
			p.SetStartTimestamp(s.start)
			p.SetTimestamp(now)
			p.SetCount(s.count)
			p.SetSum(s.value)
			p.SetMin(s.min)
			p.SetMax(s.max)
			p.ExplicitBounds().FromRaw(defaultBounds)
			p.BucketCounts().FromRaw(s.bucketCounts)
			put(p.Attributes(), s.attrs)
		}
	default:
		sum := metric.SetEmptySum()
		sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		sum.SetIsMonotonic(i.Kind != "int_up_down_counter")
		i.exportNumbers(now, sum.DataPoints())
	}
}

func (i *instrument) exportNumbers(now pcommon.Timestamp, points pmetric.NumberDataPointSlice) {
	for _, s := range i.series {
		p := points.AppendEmpty()
		p.SetTimestamp(now)
		if i.Kind != "gauge" && i.Kind != "int_gauge" {
			p.SetStartTimestamp(s.start)
		}
		switch i.Kind {
		case "int_counter", "int_up_down_counter", "int_gauge":
			p.SetIntValue(int64(s.value))
		default:
			p.SetDoubleValue(s.value)
		}
		put(p.Attributes(), s.attrs)
	}
}
