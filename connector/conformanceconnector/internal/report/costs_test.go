// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// newCosts returns a Builder that reads the metrics of a function.
func newCosts(costs func() []conformance.Cost, change func(*Settings)) *Builder {
	s := Settings{
		MaxServices: 10, MaxMetrics: 10, MaxFindings: 10, Interval: time.Minute,
		Costs: func(time.Duration) ([]conformance.Cost, bool) { return costs(), true },
	}
	if change != nil {
		change(&s)
	}
	return NewBuilder(nil, s)
}

func exploded() []conformance.Cost {
	return []conformance.Cost{{
		Service: "shop", Name: "orders", Processor: "cardinality/shop", Limit: 100,
		In: conformance.Amount{Series: 6000, Points: 1000, Bytes: 1e5}, Out: conformance.Amount{Series: 101, Points: 10, Bytes: 1e3},
		Folded: map[string]int{"limit": 5900, "attribute": 6000},
		Attributes: []conformance.CostAttribute{
			{Key: "request", Values: 6000, Without: 12, ID: conformance.IDSuspected, Fixes: []conformance.Fix{{Kind: conformance.FixDrop, YAML: "processors:", Series: 12}}},
			{Key: "code", Values: 4, Without: 5900},
		},
		Culprit: &conformance.Culprit{Keys: []string{"request"}, Left: 12},
		Raise:   func(series int) string { return fmt.Sprintf("limit: %d", series) },
	}}
}

// TestCosts checks rates, the history and what is saved.
func TestCosts(t *testing.T) {
	b := newCosts(exploded, func(s *Settings) { s.Prices = Prices{MillionPoints: 2, Gigabyte: 10, Currency: "EUR"} })
	at := b.since
	var e conformance.Explorer
	for range historyLength + 3 {
		at = at.Add(time.Minute)
		e = b.Report(at, false).Explorer
	}
	require.Len(t, e.Metrics, 1)
	m := e.Metrics[0]
	assert.True(t, e.Shared)
	assert.Equal(t, conformance.Amount{Series: 6000, Points: 1000, Bytes: 1e5}, m.In)
	assert.Len(t, m.History, historyLength)
	assert.Equal(t, conformance.SeriesAt{In: 6000, Out: 101}, m.History[0])
	assert.Equal(t, 5899, e.Saved.Series)
	assert.InEpsilon(t, 990*86400, e.Saved.PointsPerDay, 1e-9)
	assert.InEpsilon(t, 99_000*86400, e.Saved.BytesPerDay, 1e-9)
	assert.InEpsilon(t, 990*86400/1e6*2+99_000*86400/1e9*10, e.Saved.MoneyPerDay, 1e-9)
	assert.Equal(t, "EUR", e.Saved.Currency)
}

// TestNothingIsSavedInAuditMode checks that the data of an audited service counts as sent.
func TestNothingIsSavedInAuditMode(t *testing.T) {
	known := exploded()
	known[0].Audit = true
	b := newCosts(func() []conformance.Cost { return known }, nil)
	e := b.Report(b.since.Add(time.Minute), false).Explorer
	assert.Equal(t, conformance.Saved{}, e.Saved)
}

// TestFoldedBefore checks a metric that an agent or an SDK has folded.
func TestFoldedBefore(t *testing.T) {
	b := newCosts(func() []conformance.Cost {
		return []conformance.Cost{{Service: "shop", Name: "orders", Limit: 100, In: conformance.Amount{Series: 50}, Out: conformance.Amount{Series: 50}, Folded: map[string]int{"overflow": 2}}}
	}, nil)
	r := b.Report(b.since.Add(time.Minute), false)
	require.Len(t, r.Findings, 1)
	assert.Equal(t, "folded", r.Findings[0].Rule)
	assert.Contains(t, r.Findings[0].Suggestion, "agent")
	assert.Empty(t, r.Findings[0].Paste)
}

// TestGrowing checks that a metric that grows by the values of an attribute which stays is an improvement, long before
// its limit, and that no other metric is.
func TestGrowing(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*conformance.Cost)
		want   string
	}{
		"grows":         {func(*conformance.Cost) {}, "growing"},
		"stays":         {func(c *conformance.Cost) { c.Growing = false }, ""},
		"few values":    {func(c *conformance.Cost) { c.Attributes[0].Values = 14 }, ""},
		"no culprit":    {func(c *conformance.Cost) { c.Culprit = nil }, ""},
		"it is removed": {func(c *conformance.Cost) { c.Culprit.Removed = "pack" }, ""},
		"it is refused": {func(c *conformance.Cost) { c.Folded = map[string]int{"limit": 1} }, "folded"},
	} {
		known := exploded()
		known[0].Folded, known[0].Growing, known[0].In.Series, known[0].Out.Series = nil, true, 60, 60
		known[0].Attributes[0].Values = 60
		c.change(&known[0])
		b := newCosts(func() []conformance.Cost { return known }, nil)
		b.Service("shop", b.since)
		found := b.Report(b.since.Add(time.Minute), false).Findings
		if c.want == "" {
			assert.Empty(t, found, name)
			continue
		}
		require.Len(t, found, 1, name)
		assert.Equal(t, c.want, found[0].Rule, name)
		assert.Equal(t, "without the attribute request", found[0].Suggestion, name)
		assert.Equal(t, "processors:", found[0].Paste, name)
	}
}

// TestNearBudget checks the findings about a metric with nearly as many series as the limit of cardinality, and what
// is pasted against them.
func TestNearBudget(t *testing.T) {
	known := exploded()
	known[0].Folded, known[0].Limit = nil, 110
	known[0].In.Series, known[0].Out.Series = 101, 101
	b := newCosts(func() []conformance.Cost { return known }, nil)
	info := b.Metric(b.Service("shop", b.since), "orders", func() string { return "none" })
	info.Seen(Instrument{"gauge", "s"}, b.since)
	at := b.since
	report := func() (r *Report, new []conformance.Finding) {
		at = at.Add(time.Minute)
		r = b.Report(at, true)
		for _, f := range r.Findings {
			if f.Count > 0 {
				new = append(new, f)
			}
		}
		return r, new
	}
	r, found := report()
	require.Len(t, found, 1)
	assert.Equal(t, RuleNearBudget.ID, found[0].Rule, "101 are within 110")
	assert.Equal(t, "processors:", found[0].Paste, "what removes the attribute comes before a larger limit")
	assert.Equal(t, conformance.Metric{
		Service: "shop", Name: "orders", System: "none", Type: "gauge", Unit: "s", Series: 101, Limit: 110, Merged: 4,
		Attributes: []conformance.MetricAttribute{{Key: "request", Values: 6000, ID: conformance.IDSuspected}, {Key: "code", Values: 4}},
	}, r.Metrics[0])

	known[0].Culprit = nil
	_, found = report()
	assert.Equal(t, "limit: 202", found[0].Paste)

	known[0].Limit = 60
	r, found = report()
	assert.Empty(t, found, "two resources have the limit of each")
	assert.Zero(t, r.Services[0].OverBudget)
	assert.InDelta(t, 1, r.Services[0].BudgetUsed, 1e-9)

	known[0].Folded = map[string]int{"limit": 40}
	r, found = report()
	require.Len(t, found, 1)
	assert.Equal(t, RuleFolded.ID, found[0].Rule)
	assert.Equal(t, 1, r.Services[0].OverBudget)
}

// TestCulpritAppears checks that a metric past its budget is one violation before and after its culprit is known, and
// that it then names the attribute and has the fix.
func TestCulpritAppears(t *testing.T) {
	known := exploded()
	culprit := known[0].Culprit
	known[0].Culprit = nil
	b := newCosts(func() []conformance.Cost { return known }, nil)
	b.Service("shop", b.since)
	f := b.Report(b.since.Add(time.Minute), false).Findings[0]
	assert.Empty(t, f.Paste)
	assert.Equal(t, actionFolded, f.Action)
	known[0].Culprit = culprit
	r := b.Report(b.since.Add(2*time.Minute), false)
	require.Len(t, r.Findings, 1)
	f = r.Findings[0]
	assert.Equal(t, RuleFolded.ID+" "+conformance.LevelViolation+" shop orders", f.Rule+" "+f.Level+" "+f.Service+" "+f.Original)
	assert.Equal(t, "processors:", f.Paste)
	assert.Equal(t, RuleFolded.Action, f.Action)
	assert.Equal(t, "without the attribute request", f.Suggestion)
	assert.EqualValues(t, 2, f.Total)
	assert.Equal(t, 1, r.Services[0].OverBudget)
	assert.InEpsilon(t, 60, r.Services[0].BudgetUsed, 1e-9)
}

// TestCostsOfSeveralProcessors checks that those with the most series are shown, that each has its own history, and
// that what is saved is complete.
func TestCostsOfSeveralProcessors(t *testing.T) {
	many := conformance.Cost{Service: "shop", Name: "orders", Limit: 100, Processor: "cardinality", In: conformance.Amount{Series: 5000}, Folded: map[string]int{"limit": 4900}}
	b := newCosts(func() (all []conformance.Cost) {
		for i := range maxCosts {
			all = append(all, conformance.Cost{Service: strconv.Itoa(i), Name: "orders", Limit: 100, Processor: "cardinality/genai", In: conformance.Amount{Series: 1}})
		}
		few := many
		few.In.Series, few.Folded, few.Processor = 11, nil, "cardinality/b"
		return append(all, many, few)
	}, nil)
	b.Service("shop", b.since)
	b.Report(b.since.Add(time.Minute), false)
	r := b.Report(b.since.Add(2*time.Minute), false)
	require.Len(t, r.Explorer.Metrics, maxCosts)
	assert.Equal(t, 2, r.Explorer.NotShown)
	assert.Equal(t, maxCosts+5011, r.Explorer.Saved.Series, "also of those that are not shown")
	assert.Equal(t, "cardinality", r.Explorer.Metrics[0].Processor)
	assert.Equal(t, "cardinality/b", r.Explorer.Metrics[1].Processor)
	for i, series := range []int{5000, 11} {
		assert.Equal(t, []conformance.SeriesAt{{In: series}, {In: series}}, r.Explorer.Metrics[i].History)
	}
	require.Len(t, r.Findings, 1)
	assert.Equal(t, 1, r.Services[0].OverBudget)
}

// TestNobodyShares checks the report without a cardinality processor.
func TestNobodyShares(t *testing.T) {
	b := newCosts(nil, func(s *Settings) { s.Costs = nil })
	assert.Equal(t, conformance.Explorer{Metrics: []conformance.Cost{}}, b.Report(b.since.Add(time.Minute), false).Explorer)
}
