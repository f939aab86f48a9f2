// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

type familyKind int

const (
	scrapedCounter familyKind = iota
	scrapedGauge
	scrapedHistogram
	// scrapedInfo is a gauge that is always 1.
	scrapedInfo
)

// family describes one metric family of a Python prometheus_client process.
type family struct {
	kind   familyKind
	name   string
	help   string
	labels []string
	// values are the label values the family is known to take. Every scenario
	// moves each of them a little; a family whose labels are ids has none and is
	// fed by its scenario.
	values [][]string
	// scale is the size of the largest step; steps above 1 are whole numbers.
	scale float64
}

// unlabelled is the one value of a family without labels.
var unlabelled = [][]string{{}}

// one lists the values of a family with one label.
func one(values ...string) [][]string {
	var tuples [][]string
	for _, v := range values {
		tuples = append(tuples, []string{v})
	}
	return tuples
}

// exposition imitates the registry of a prometheus_client process.
type exposition struct {
	registry *prometheus.Registry
	families []family
	// created says whether counters and histograms have `_created` gauges beside
	// them; prometheus_client's multiprocess mode leaves them out.
	created bool

	now        time.Time
	counters   map[string]*prometheus.CounterVec
	gauges     map[string]*prometheus.GaugeVec
	histograms map[string]*prometheus.HistogramVec
	createdAt  map[string]*prometheus.GaugeVec
	seen       map[string]bool
}

// newExposition returns an exposition of families. Bounds replace the bucket bounds of some histograms.
func newExposition(start time.Time, created bool, families []family, bounds map[string][]float64) *exposition {
	e := &exposition{
		registry:   prometheus.NewRegistry(),
		families:   families,
		created:    created,
		now:        start,
		counters:   map[string]*prometheus.CounterVec{},
		gauges:     map[string]*prometheus.GaugeVec{},
		histograms: map[string]*prometheus.HistogramVec{},
		createdAt:  map[string]*prometheus.GaugeVec{},
		seen:       map[string]bool{},
	}
	for _, f := range families {
		buckets, stated := bounds[f.name]
		if !stated {
			buckets = f.buckets()
		}
		e.register(f, buckets)
	}
	return e
}

func (e *exposition) register(f family, buckets []float64) {
	switch f.kind {
	case scrapedCounter:
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: f.name, Help: f.help}, f.labels)
		e.registry.MustRegister(v)
		e.counters[f.name] = v
	case scrapedGauge, scrapedInfo:
		v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: f.name, Help: f.help}, f.labels)
		e.registry.MustRegister(v)
		e.gauges[f.name] = v
	case scrapedHistogram:
		v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: f.name, Help: f.help, Buckets: buckets}, f.labels)
		e.registry.MustRegister(v)
		e.histograms[f.name] = v
	}
	if e.created && hasCreated(f) {
		v := prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: strings.TrimSuffix(f.name, "_total") + "_created",
			Help: f.help,
		}, f.labels)
		e.registry.MustRegister(v)
		e.createdAt[f.name] = v
	}
}

// buckets are the client's own for seconds, and 1, 2, 5, 10… for larger values.
func (f family) buckets() []float64 {
	if f.scale <= 1 {
		return prometheus.DefBuckets
	}
	var bounds []float64
	for decade := 1.0; decade <= f.scale; decade *= 10 {
		bounds = append(bounds, decade, 2*decade, 5*decade)
	}
	return bounds
}

// hasCreated leaves out gauges and the families of prometheus_client's platform,
// process and gc collectors.
func hasCreated(f family) bool {
	return (f.kind == scrapedCounter || f.kind == scrapedHistogram) &&
		!strings.HasPrefix(f.name, "python_") && !strings.HasPrefix(f.name, "process_")
}

// move gives every family with known label values one more observation, at now.
func (e *exposition) move(now time.Time, rng *rand.Rand) {
	e.now = now
	for _, f := range e.families {
		for _, values := range f.values {
			step := between(rng, 0, f.scale)
			if f.scale > 1 {
				step = math.Ceil(step)
			}
			e.feed(f, step, values)
		}
	}
}

func (e *exposition) feed(f family, value float64, labelValues []string) {
	switch f.kind {
	case scrapedCounter:
		e.add(f.name, value, labelValues...)
	case scrapedGauge:
		e.set(f.name, value, labelValues...)
	case scrapedInfo:
		e.set(f.name, 1, labelValues...)
	case scrapedHistogram:
		e.observe(f.name, value, labelValues...)
	}
}

func (e *exposition) add(name string, value float64, labelValues ...string) {
	e.counters[name].WithLabelValues(labelValues...).Add(value)
	e.stamp(name, labelValues)
}

func (e *exposition) set(name string, value float64, labelValues ...string) {
	e.gauges[name].WithLabelValues(labelValues...).Set(value)
}

func (e *exposition) observe(name string, value float64, labelValues ...string) {
	e.histograms[name].WithLabelValues(labelValues...).Observe(value)
	e.stamp(name, labelValues)
}

// stamp notes when a series first appeared.
func (e *exposition) stamp(name string, labelValues []string) {
	key := name + "\xff" + strings.Join(labelValues, "\xff")
	at, ok := e.createdAt[name]
	if !ok || e.seen[key] {
		return
	}
	e.seen[key] = true
	at.WithLabelValues(labelValues...).Set(float64(e.now.UnixMilli()) / 1000)
}
