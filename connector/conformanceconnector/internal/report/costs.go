// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/explorer"
)

const (
	// maxCosts limits the metrics of the explorer.
	maxCosts = 500
	day      = 24 * time.Hour
)

// Prices are what the user's backend takes. The zero Prices are none.
type Prices struct {
	MillionPoints, Gigabyte float64
	Currency                string
}

// costs is what the explorer remembers between two reports.
type costs struct {
	history map[costKey][]conformance.SeriesAt
	saved   []saved // at the last reports
}

type costKey struct{ service, name, processor string }

type metricKey struct{ service, name string }

// known is what cardinality knows of a metric.
type known struct {
	*explorer.Metric
	cost Cost
}

// saved is what was saved between two reports.
type saved struct {
	took          time.Duration
	points, bytes float64
}

// reportCosts returns what series cost, and each metric that cardinality knows. It adds findings for metrics whose
// series are folded.
func (b *Builder) reportCosts(now time.Time) (e conformance.Explorer, knowns map[metricKey]*known) {
	e = conformance.Explorer{Metrics: []Cost{}}
	if b.settings.Costs == nil {
		return e, nil
	}
	knowns = map[metricKey]*known{}
	last := b.last
	if last.IsZero() {
		last = b.since
	}
	took := now.Sub(last)
	all, shared := b.settings.Costs()
	e.Shared = shared
	slices.SortFunc(all, func(a, b explorer.Metric) int {
		return cmp.Or(b.In.Series-a.In.Series, strings.Compare(a.Service, b.Service), strings.Compare(a.Name, b.Name),
			strings.Compare(a.Processor.ID, b.Processor.ID))
	})
	history := map[costKey][]conformance.SeriesAt{}
	lately := saved{took: took}
	for i := range all {
		m := &all[i]
		c := costOf(m, took)
		if c.Audit = b.settings.Audit != nil && b.settings.Audit(m.Service); !c.Audit {
			e.Saved.Series += max(m.In.Series-m.Out.Series, 0)
			lately.points += float64(m.In.Points - m.Out.Points)
			lately.bytes += m.In.Bytes - m.Out.Bytes
		}
		b.folded(&c)
		// Of several processors that see the metric, the one with the most series.
		if key := (metricKey{c.Service, conformance.Kept(c.Name)}); knowns[key] == nil {
			knowns[key] = &known{m, c}
		}
		if len(e.Metrics) == maxCosts {
			e.NotShown++
			continue
		}
		key := costKey{c.Service, c.Name, c.Processor}
		c.History = appended(b.costs.history[key], conformance.SeriesAt{In: c.In.Series, Out: c.Out.Series})
		history[key] = c.History
		e.Metrics = append(e.Metrics, c)
	}
	b.costs.history = history
	b.costs.saved = appended(b.costs.saved, lately)
	b.saved(&e.Saved)
	return e, knowns
}

// costOf returns the cost of a metric by what came in a time.
func costOf(m *explorer.Metric, took time.Duration) Cost {
	amount := func(a explorer.Amount) conformance.Amount {
		seconds := max(took.Seconds(), 1e-3)
		return conformance.Amount{Series: a.Series, Points: float64(a.Points) / seconds, Bytes: a.Bytes / seconds}
	}
	c := Cost{
		Service: conformance.ServiceName(m.Service), Name: m.Name, Processor: m.Processor.ID, Limit: m.Limit,
		In: amount(m.In), Out: amount(m.Out), Folded: maps.Clone(m.Folded), Attributes: m.Attributes,
		Together: m.Together, NotFollowed: m.NotFollowed,
	}
	if c.Attributes == nil {
		c.Attributes = []conformance.CostAttribute{}
	}
	c.Culprit = culpritOf(&c)
	return c
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

// Refused returns the number of series that a budget refused.
func Refused(c *Cost) int { return c.Folded["limit"] + c.Folded["service_limit"] + c.Folded["memory"] }

// culpritOf returns what makes most of the series of a metric, or nil.
func culpritOf(c *Cost) *conformance.Culprit {
	left := c.In.Series // come to the limit
	var removed *conformance.Culprit
	var worst *conformance.CostAttribute // that stays
	for i := range c.Attributes {
		a := &c.Attributes[i]
		switch {
		case a.Removed == "":
			if worst == nil || a.Without < worst.Without {
				worst = a
			}
			continue
		case removed == nil:
			removed = &conformance.Culprit{Removed: a.Removed}
		}
		removed.Keys = append(removed.Keys, a.Key)
		left = min(left, a.Without)
	}
	halves := worst != nil && 2*worst.Without <= left
	// What was removed explains the series, unless there are still too many.
	if removed != nil && 2*left <= c.In.Series && (!halves || Refused(c) == 0) {
		removed.Left = left
		return removed
	}
	if halves {
		return &conformance.Culprit{Keys: []string{worst.Key}, Left: worst.Without}
	}
	for i := range c.Together {
		if of := &c.Together[i]; 2*of.Without <= left {
			return &conformance.Culprit{Keys: of.Keys, Left: of.Without, Resource: of.Resource}
		}
	}
	return nil
}

// Exploding are the attributes that make at least half of the series of a metric.
type Exploding struct {
	Keys  string // separated by commas
	Fixes []conformance.Fix
}

// Explodes returns the attributes that make at least half of the series of a metric, and stay, or nil.
func Explodes(c *Cost) *Exploding {
	of := c.Culprit
	if of == nil || of.Removed != "" {
		return nil
	}
	e := &Exploding{Keys: strings.Join(of.Keys, ", ")}
	for i := range c.Attributes {
		if a := &c.Attributes[i]; !of.Resource && len(of.Keys) == 1 && a.Key == of.Keys[0] {
			e.Fixes = a.Fixes
		}
	}
	for i := range c.Together {
		if t := &c.Together[i]; t.Resource == of.Resource && slices.Equal(t.Keys, of.Keys) {
			e.Fixes = t.Fixes
		}
	}
	return e
}

// withoutKeys names what makes the series.
func withoutKeys(of *conformance.Culprit, keys string) string {
	switch {
	case of.Resource:
		return "with fewer resources: they differ by " + keys
	case len(of.Keys) > 1:
		return "without the attributes " + keys
	}
	return "without the attribute " + keys
}

// folded adds a finding for a metric whose series are folded, with the attribute that is the reason.
func (b *Builder) folded(c *Cost) {
	n, came := Refused(c), c.Folded["overflow"]
	if n+came == 0 {
		return
	}
	svc := b.services.of(c.Service, nil)
	if svc == nil {
		svc = b.other
	}
	advice, paste := "", ""
	if n == 0 {
		advice = "look at the agent that sends it, or at its SDK: it has merged series already"
	} else if a := Explodes(c); a != nil {
		advice = withoutKeys(c.Culprit, a.Keys)
		if len(a.Fixes) > 0 {
			paste = a.Fixes[0].YAML
		}
	}
	found := b.Finding(Key{Rule: RuleFolded, Kind: KindMetric, Service: svc, Original: c.Name})
	found.count.Add(1)
	if found.limit == nil { // not the shared row of a full table
		found.advice, found.paste = conformance.Kept(advice), strings.Clone(paste)
	}
}
