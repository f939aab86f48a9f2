// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// page is a scraped page without start times. Ids come and go on it.
type page struct {
	*rand.Rand
	kind  kindOfMetric
	now   time.Time
	next  int // the next id
	ids   map[string]*sender
	shown map[string]*sender // of the last scrape, which the receiver compares with
}

// change changes the page at random.
func (p *page) change() {
	p.now = p.now.Add(10 * time.Second)
	restarts := p.IntN(10) == 0
	for _, id := range sorted(p.ids) {
		s := p.ids[id]
		switch {
		case restarts && p.kind.kind == pmetric.MetricTypeSum && len(s.seen) > 0 && p.IntN(2) == 0:
			// The id is there again, with less. The model detects no reset of single buckets.
			s.seen = slices.Clone(s.seen[:p.IntN(len(s.seen))])
		case restarts || p.IntN(5) == 0:
			delete(p.ids, id)
		}
	}
	for range p.IntN(4) {
		p.next++
		p.ids[fmt.Sprint(p.next)] = &sender{kept: []string{"x", "y"}[p.IntN(2)], bounds: []float64{0, 10}}
	}
	for _, id := range sorted(p.ids) {
		for range p.IntN(3) {
			p.ids[id].seen = append(slices.Clip(p.ids[id].seen), float64(1+p.IntN(200))/8)
		}
	}
}

// request returns a scrape, with stale markers for what the last one had and this one has not.
func (p *page) request(r *rig, works bool) pmetric.Metrics {
	page, m := emptyMetric("s", "m")
	write := func(id string, s *sender, stale bool) {
		sample{
			kind: p.kind, kept: s.kept, id: id, start: time.Unix(0, 0), time: p.now, stale: stale,
			seen: s.seen, value: float64(len(s.seen)), bounds: s.bounds,
		}.write(m)
	}
	sample{kind: p.kind}.metric(m)
	m.SetName("m")
	now := map[string]*sender{}
	if works {
		for _, id := range sorted(p.ids) {
			s := *p.ids[id]
			now[id] = &s
			write(id, &s, false)
		}
	}
	for _, id := range sorted(p.shown) {
		if now[id] == nil {
			write(id, p.shown[id], true)
		}
	}
	p.shown = now
	up := 0.0
	if works {
		up = 1
	}
	return r.scrape(p.now.Sub(r.p.store.Started).Seconds(), up, page)
}

// TestConservationOfScrapes checks that what a page counts after its first scrape comes out
// once: over ids that come and go, failed and lost scrapes, and restarts of both sides.
func TestConservationOfScrapes(t *testing.T) {
	kinds := slices.DeleteFunc(slices.Clone(kindsOfMetrics), func(k kindOfMetric) bool {
		return !k.monotonic || k.temporality != pmetric.AggregationTemporalityCumulative
	})
	for seed := range histories(t) / 12 {
		random := rand.New(rand.NewPCG(seed, 6))
		settings := func(cfg *Config) {
			if seed%3 == 0 {
				cfg.Limit = 1
			}
		}
		r := newRig(t, settings)
		p := &page{Rand: random, kind: kinds[seed%uint64(len(kinds))], now: r.p.store.Started, ids: map[string]*sender{}}
		counted := vector{}
		known, looked := map[string]vector{}, false
		out := map[string]*reader{}
		var history []string
		for range 12 {
			p.change()
			if random.IntN(6) == 0 { // the collector restarts; the receiver forgets what it has shown
				after := newTestProcessor(t, settings)
				copySeries(t, r.p, after)
				require.NoError(t, r.p.shutdown(t.Context()))
				r.p, p.shown = after, nil
			}
			how := random.IntN(10)
			md := p.request(r, how > 1)
			for _, point := range receive(md) {
				history = append(history, fmt.Sprint(point))
			}
			if how == 2 {
				history = append(history, "lost")
				continue // memory_limiter refuses it
			}
			ctx := scrapeOf(t.Context(), "a:1")
			look := how > 3
			if how == 3 {
				ctx = t.Context() // it comes from a queue
			}
			for _, point := range receive(md) {
				if _, isPage := point.attributes["id"]; !isPage || point.stale {
					continue
				}
				last, ok := known[point.series]
				for key, value := range point.is {
					switch {
					case !ok && look && looked, ok && decreased(point.is, last):
						counted[key] += value
					case ok:
						counted[key] += value - last[key]
					}
				}
				known[point.series] = point.is
			}
			looked = looked || look && how > 1
			work, _ := r.p.process(ctx, md)
			for _, point := range receive(work) {
				if _, isPage := point.attributes["kept"]; !isPage && !isOverflow(point.attributes) {
					continue
				}
				rd := out[point.series]
				if rd == nil {
					rd = &reader{kind: p.kind, from: true, since: pcommon.NewTimestampFromTime(r.p.store.Started)}
					out[point.series] = rd
				}
				require.True(t, rd.read(point), "seed %d: not in order: %v", seed, point)
				require.NotContains(t, point.attributes, "id")
			}
			var totals []vector
			for _, rd := range out {
				if rd.known {
					totals = append(totals, rd.total)
				}
			}
			for key, got := range sumOf(totals) {
				if math.Abs(got-counted[key]) > 1e-6 {
					t.Fatalf("seed %d, %s: %s is %v, counted %v\n%s", seed, p.kind.name, key, got, counted[key], join(history))
				}
			}
		}
	}
}
