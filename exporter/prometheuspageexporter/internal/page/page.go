// SPDX-License-Identifier: Apache-2.0

// Package page holds the content of the page: the last sample of each series, in families of
// one type, within limits. Put adds a sample, Expire removes old series, and Gather returns the
// page. The package does not depend on data points.
package page

import (
	"maps"
	"slices"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"

	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/labels"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/sample"
)

// Limits bound the page.
type Limits struct {
	Memory int64 // the approximate memory of all series, in bytes
	Text   int64 // the size of the page in text format, in bytes
}

// Page is the content of the page. It is safe for concurrent use.
type Page struct {
	limits     Limits
	expiration time.Duration

	mu       sync.Mutex
	pairs    *labels.Pairs
	families map[string]*family // the families with series
	targets  map[labels.Key]*series
	used     cost
	shown    int // the number of series on the page
	hidden   int // the number of kept series that are not on the page
}

// New returns an empty page. A series stays on the page for the expiration after its last
// sample.
func New(limits Limits, expiration time.Duration) *Page {
	return &Page{
		limits: limits, expiration: expiration, pairs: labels.NewPairs(),
		families: map[string]*family{}, targets: map[labels.Key]*series{},
	}
}

// Point is the series of a sample.
type Point struct {
	// Name, Help and Kind belong to the series' family.
	Name, Help string
	Kind       dto.MetricType
	// Key is the key of Labels, which are sealed.
	Key    labels.Key
	Labels *labels.Set
	Shape  Shape
}

// Put calls sampled with the stream of a point's series, and shows the sample that it returns.
// It does not call sampled if there is no room for the series.
func (p *Page) Put(point *Point, now time.Time, sampled func(*sample.Stream) (*dto.Metric, sample.Reason)) sample.Reason {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, why := p.put(point, now, sampled)
	return why
}

func (p *Page) put(point *Point, now time.Time, sampled func(*sample.Stream) (*dto.Metric, sample.Reason)) (*series, sample.Reason) {
	f, why := p.familyOf(point)
	if why != sample.Shown {
		return nil, why
	}
	s, why := p.seriesOf(f, point)
	if why != sample.Shown {
		return nil, why
	}
	c, why := p.fit(s, point.Shape)
	if why != sample.Shown {
		return nil, why
	}
	metric, why := sampled(&s.stream)
	if why != sample.Shown {
		return nil, why
	}
	p.show(s, metric, c, now)
	return s, sample.Shown
}

// Remove removes the series of a point, if there is one.
func (p *Page) Remove(point *Point) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f, ok := p.families[point.Name]; ok && f.kind == point.Kind {
		if s, ok := f.series[point.Key]; ok {
			p.remove(s)
		}
	}
}

// Stats are statistics of the page: the number of series, and bytes.
type Stats struct {
	Series       int
	Memory, Text int64
}

// Stats returns the current statistics.
func (p *Page) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{Series: p.shown, Memory: p.used.memory, Text: p.used.text}
}

// Gather returns all families, sorted by name. The samples belong to the page and must not be
// changed.
func (p *Page) Gather() ([]*dto.MetricFamily, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	families := make([]*dto.MetricFamily, 0, len(p.families))
	for _, name := range slices.Sorted(maps.Keys(p.families)) {
		f := p.families[name]
		if len(f.shown) == 0 {
			continue
		}
		metrics := make([]*dto.Metric, len(f.shown))
		for i, s := range f.shown {
			metrics[i] = s.metric
		}
		families = append(families, &dto.MetricFamily{
			Name: proto.String(f.name), Help: proto.String(f.help), Type: f.kind.Enum(), Metric: metrics,
		})
	}
	return families, nil
}
