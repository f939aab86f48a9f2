// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

const (
	// maxCosts limits the metrics of the explorer.
	maxCosts = 500
	// historyLength is the number of past reports in a metric's history.
	historyLength = 60
	day           = 24 * time.Hour
	// valuesOfSeries is the largest number of series for each value of an attribute by whose values a metric grows.
	valuesOfSeries = 4
)

// Prices are what the user's backend takes. The zero Prices are none.
type Prices struct {
	MillionPoints, Gigabyte float64
	Currency                string
}

// pastCosts is what is remembered of costs between two reports.
type pastCosts struct {
	history map[costKey][]conformance.SeriesAt
	saved   []saved // at the last reports
}

type costKey struct{ service, name, processor string }

type costName struct{ service, name string }

// metricCosts are what metrics cost. Of several processors that see a metric, it has the one with the most series.
type metricCosts map[costName]*conformance.Cost

// saved is what was saved between two reports.
type saved struct {
	took          time.Duration
	points, bytes float64
}

// reportCosts returns what series cost, and each metric that cardinality knows. It adds findings for metrics whose
// series are folded, or will be.
func (b *Builder) reportCosts(now time.Time) (e conformance.Explorer, known metricCosts) {
	e = conformance.Explorer{Metrics: []conformance.Cost{}}
	if b.settings.Costs == nil {
		return e, nil
	}
	last := b.last
	if last.IsZero() {
		last = b.since
	}
	lately := saved{took: now.Sub(last)}
	all, shared := b.settings.Costs(lately.took)
	e.Shared = shared
	slices.SortFunc(all, func(a, b conformance.Cost) int {
		return cmp.Or(b.In.Series-a.In.Series, strings.Compare(a.Service, b.Service), strings.Compare(a.Name, b.Name),
			strings.Compare(a.Processor, b.Processor))
	})
	history := map[costKey][]conformance.SeriesAt{}
	known = metricCosts{}
	for i := range all {
		c := &all[i]
		if !c.Audit {
			e.Saved.Series += max(c.In.Series-c.Out.Series, 0)
			lately.points += (c.In.Points - c.Out.Points) * lately.took.Seconds()
			lately.bytes += (c.In.Bytes - c.Out.Bytes) * lately.took.Seconds()
		}
		b.manySeries(c)
		if name := (costName{c.Service, conformance.Kept(c.Name)}); known[name] == nil {
			known[name] = c
		}
		if len(e.Metrics) == maxCosts {
			e.NotShown++
			continue
		}
		key := costKey{c.Service, c.Name, c.Processor}
		c.History = appended(b.costs.history[key], conformance.SeriesAt{In: c.In.Series, Out: c.Out.Series})
		history[key] = c.History
		e.Metrics = append(e.Metrics, *c)
	}
	b.costs.history = history
	b.costs.saved = appended(b.costs.saved, lately)
	b.saved(&e.Saved)
	return e, known
}

// appended returns a copy of a history with a new element, and without the oldest one if it is full.
func appended[T any](history []T, last T) []T {
	if len(history) == historyLength {
		history = history[1:]
	}
	return append(slices.Clone(history), last)
}

// saved sets what is saved in a day at the rates of the remembered reports.
func (b *Builder) saved(to *conformance.Saved) {
	var sum saved
	for _, s := range b.costs.saved {
		sum.took += s.took
		sum.points += s.points
		sum.bytes += s.bytes
	}
	if sum.took <= 0 {
		return
	}
	days := float64(sum.took) / float64(day)
	to.PointsPerDay, to.BytesPerDay = max(sum.points/days, 0), max(sum.bytes/days, 0)
	prices := b.settings.Prices
	to.MoneyPerDay = to.PointsPerDay/1e6*prices.MillionPoints + to.BytesPerDay/1e9*prices.Gigabyte
	if to.MoneyPerDay > 0 {
		to.Currency = prices.Currency
	}
}

// manySeries adds a finding for a metric whose series are folded, or will be, with the attribute that is the reason.
func (b *Builder) manySeries(c *conformance.Cost) {
	rule, advice, paste := RuleFolded, "", ""
	refused, came, exploding := c.Refused(), c.Folded["overflow"], c.Exploding()
	if refused+came == 0 {
		if !c.Growing || exploding == nil || valuesOfSeries*exploding.Values < c.In.Series {
			return
		}
		rule = RuleGrowing
	}
	switch {
	case refused == 0 && came > 0:
		advice = "look at the agent that sends it, or at its SDK: it has merged series already"
	case exploding != nil:
		advice = "without the attribute " + exploding.Key
		if len(exploding.Fixes) > 0 {
			paste = exploding.Fixes[0].YAML
		}
	}
	svc := b.services.of(c.Service, nil)
	if svc == nil {
		svc = b.other
	}
	found := b.Finding(Key{Rule: rule, Kind: KindMetric, Service: svc, Original: c.Name})
	found.count.Add(1)
	if found.limit == nil { // not the shared row of a full table
		found.advice, found.Paste = conformance.Kept(advice), strings.Clone(paste)
	}
}
