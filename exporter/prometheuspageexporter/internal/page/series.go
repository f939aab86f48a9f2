// SPDX-License-Identifier: Apache-2.0

package page

import (
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/labels"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/sample"
)

// series is one series of the page.
type series struct {
	stream  sample.Stream
	family  *family
	key     labels.Key
	labels  labels.Labels
	target  labels.Key // of target_info: the identity of the target
	cost    cost
	updated time.Time
	metric  *dto.Metric // never changed, because a scrape may read it
	at      int         // the index in family.shown, or hidden
	kept    bool        // whether it is in family.series
}

const hidden = -1

// seriesOf returns the series of a point. A new series is added to the page by show.
func (p *Page) seriesOf(f *family, point *Point) (*series, sample.Reason) {
	if s, ok := f.series[point.Key]; ok {
		return s, sample.Shown
	}
	if p.full() {
		return nil, sample.Limit
	}
	s := &series{family: f, key: point.Key, labels: p.pairs.Of(point.Labels), at: hidden}
	if s.labels.LongestName > maxName {
		return nil, sample.Size
	}
	return s, sample.Shown
}

// fit returns the cost of a series with a sample of the given shape, if there is room for it.
// To make room, it removes hidden series.
func (p *Page) fit(s *series, shape Shape) (cost, sample.Reason) {
	c := seriesCost(len(s.family.name), &s.labels, shape)
	if c.text > maxSeriesText {
		return c, sample.Size
	}
	if p.hasRoom(s, c) {
		return c, sample.Shown
	}
	if p.hidden > 0 {
		p.forget(s)
		if p.hasRoom(s, c) {
			return c, sample.Shown
		}
	}
	return c, sample.Limit
}

// full reports whether there is no room for a new series. It makes refusing many series cheap.
func (p *Page) full() bool {
	return p.hidden == 0 && (p.used.memory+seriesMemory > p.limits.Memory || p.used.text+lineText > p.limits.Text)
}

func (p *Page) hasRoom(s *series, c cost) bool {
	used := p.used
	if len(s.family.series) == 0 {
		used.add(s.family.cost)
	}
	used.sub(s.cost)
	used.add(c)
	growsMemory, growsText := c.memory > s.cost.memory, c.text > s.cost.text
	return (!growsMemory || used.memory <= p.limits.Memory) && (!growsText || used.text <= p.limits.Text)
}

// show shows a sample, for whose cost there is room.
func (p *Page) show(s *series, metric *dto.Metric, c cost, now time.Time) {
	metric.Label = s.labels.Pairs
	s.metric, s.updated = metric, now
	p.used.sub(s.cost)
	p.used.add(c)
	s.cost = c
	f := s.family
	if !s.kept {
		if len(f.series) == 0 {
			p.families[f.name] = f
			p.used.add(f.cost)
		}
		s.kept = true
		f.series[s.key] = s
	} else if s.at == hidden {
		p.hidden--
	}
	if s.at == hidden {
		s.at = len(f.shown)
		f.shown = append(f.shown, s)
		p.shown++
	}
}

func (p *Page) remove(s *series) {
	f := s.family
	if s.at != hidden {
		p.hide(s)
	}
	p.hidden--
	if s.target != (labels.Key{}) && p.targets[s.target] == s {
		delete(p.targets, s.target)
	}
	delete(f.series, s.key)
	s.kept = false
	p.used.sub(s.cost)
	s.cost = cost{}
	if len(f.series) == 0 {
		delete(p.families, f.name)
		p.used.sub(f.cost)
	}
}

// hide removes a series from the page, but keeps its stream.
func (p *Page) hide(s *series) {
	f := s.family
	last := f.shown[len(f.shown)-1]
	f.shown[s.at], last.at = last, s.at
	f.shown[len(f.shown)-1] = nil
	f.shown = f.shown[:len(f.shown)-1]
	s.at, s.metric = hidden, nil
	p.shown--
	p.hidden++
}

// forget removes all hidden series except one.
func (p *Page) forget(but *series) {
	for _, f := range p.families {
		for _, s := range f.series {
			if s.at == hidden && s != but {
				p.remove(s)
			}
		}
	}
}

// deltaRetention is how long the sum of delta points is kept after its series expired. A sum
// that restarts at 0 could reach its old value again, and Prometheus would see no increase.
const deltaRetention = time.Hour

// Expire removes the series without a sample during the expiration, and returns their number.
func (p *Page) Expire(now time.Time) (expired int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.families {
		for _, s := range f.series {
			age := now.Sub(s.updated)
			switch {
			case age <= p.expiration:
			case s.at != hidden:
				expired++
				if s.stream.IsDelta() {
					p.hide(s)
				} else {
					p.remove(s)
				}
			case age > p.expiration+deltaRetention:
				p.remove(s)
			}
		}
	}
	return expired
}
