// Package page keeps what the page shows: of each series the last sample, in families of one
// type, within limits. It knows nothing of data points.
package page

import (
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/labels"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/reason"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/sample"
)

// Limits bound the page.
type Limits struct {
	Memory int64 // bytes that series take, about
	Text   int64 // bytes of the page
}

// Page is what is shown. It is safe for concurrent use.
type Page struct {
	limits     Limits
	expiration time.Duration

	mu       sync.Mutex
	pairs    *labels.Pairs
	families map[string]*family // that have series
	targets  map[labels.Key]*series
	used     cost
	shown    int // series
	hidden   int // series that are remembered and not shown
}

// New returns an empty page. A series is shown until the expiration after its last sample.
func New(limits Limits, expiration time.Duration) *Page {
	return &Page{
		limits: limits, expiration: expiration, pairs: labels.NewPairs(),
		families: map[string]*family{}, targets: map[labels.Key]*series{},
	}
}

// Point is where a sample belongs.
type Point struct {
	// Name, Kind and Help are its family's.
	Name, Help string
	Kind       dto.MetricType
	// Key is that of Labels, which are sealed.
	Key    labels.Key
	Labels *labels.Set
	Shape  Shape
}

// Put shows what sampled makes of a point and of the stream of its series. When there is no place
// for it sampled is not called.
func (p *Page) Put(point *Point, now time.Time, sampled func(*sample.Stream) (*dto.Metric, reason.Reason)) reason.Reason {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, why := p.put(point, now, sampled)
	return why
}

func (p *Page) put(point *Point, now time.Time, sampled func(*sample.Stream) (*dto.Metric, reason.Reason)) (*series, reason.Reason) {
	f, why := p.familyOf(point)
	if why != reason.Shown {
		return nil, why
	}
	s, why := p.seriesOf(f, point)
	if why != reason.Shown {
		return nil, why
	}
	c, why := p.fit(s, point.Shape)
	if why != reason.Shown {
		return nil, why
	}
	metric, why := sampled(&s.stream)
	if why != reason.Shown {
		return nil, why
	}
	p.show(s, metric, c, now)
	return s, reason.Shown
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

// Stats are numbers of the page.
type Stats struct {
	Series       int
	Memory, Text int64
}

// Stats returns the numbers of now.
func (p *Page) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{Series: p.shown, Memory: p.used.memory, Text: p.used.text}
}
