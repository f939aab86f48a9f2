package report

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/explorer"
)

// newCosts returns a Builder that reads the metrics of a function.
func newCosts(costs func() []explorer.Metric, change func(*Settings)) *Builder {
	s := Settings{
		Limit: 100, MaxServices: 10, MaxMetrics: 10, MaxFindings: 10, Interval: time.Minute,
		Costs: func() ([]explorer.Metric, bool) { return costs(), true },
	}
	if change != nil {
		change(&s)
	}
	return NewBuilder(nil, s)
}

func exploded() []explorer.Metric {
	return []explorer.Metric{{
		Service: "shop", Name: "orders", Processor: "cardinality", Limit: 100,
		In: explorer.Amount{Series: 6000, Points: 60_000, Bytes: 6e6}, Out: explorer.Amount{Series: 101, Points: 1010, Bytes: 1e5},
		Folded: map[string]int{"limit": 5900, "attribute": 6000},
		Attributes: []conformance.CostAttribute{
			{Key: "request", Values: 6000, Without: 12, Fixes: []conformance.Fix{{Kind: conformance.FixDrop, YAML: "processors:", Series: 12}}},
			{Key: "code", Values: 4, Without: 5900},
		},
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
	assert.InEpsilon(t, 58_990*60*24, e.Saved.PointsPerDay, 1e-9)
	assert.InEpsilon(t, 5.9e6*60*24, e.Saved.BytesPerDay, 1e-9)
	assert.InEpsilon(t, 58_990*60*24/1e6*2+5.9e6*60*24/1e9*10, e.Saved.MoneyPerDay, 1e-9)
	assert.Equal(t, "EUR", e.Saved.Currency)
}

// TestNothingIsSavedInAuditMode checks that the data of an audited service counts as sent.
func TestNothingIsSavedInAuditMode(t *testing.T) {
	b := newCosts(exploded, func(s *Settings) { s.Audit = func(service string) bool { return service == "shop" } })
	e := b.Report(b.since.Add(time.Minute), false).Explorer
	assert.True(t, e.Metrics[0].Audit)
	assert.Equal(t, conformance.Saved{}, e.Saved)
}

// TestFolded checks that a metric past its budget is a violation that names the attribute and has the fix.
func TestFolded(t *testing.T) {
	b := newCosts(exploded, nil)
	b.Service("shop", b.since)
	r := b.Report(b.since.Add(time.Minute), false)
	require.Len(t, r.Findings, 1)
	f := r.Findings[0]
	assert.Equal(t, "folded", f.Rule)
	assert.Equal(t, LevelViolation, f.Level)
	assert.Equal(t, "shop", f.Service)
	assert.Equal(t, "orders", f.Original)
	assert.Equal(t, "without the attribute request", f.Suggestion)
	assert.Equal(t, "processors:", f.Paste)
	assert.Equal(t, 1, r.Services[0].OverBudget)
	assert.InEpsilon(t, 60, r.Services[0].BudgetUsed, 1e-9)
}

// TestFoldedBefore checks a metric that an agent or an SDK has folded.
func TestFoldedBefore(t *testing.T) {
	b := newCosts(func() []explorer.Metric {
		return []explorer.Metric{{Service: "shop", Name: "orders", Limit: 100, In: explorer.Amount{Series: 50}, Out: explorer.Amount{Series: 50}, Folded: map[string]int{"overflow": 2}}}
	}, nil)
	r := b.Report(b.since.Add(time.Minute), false)
	require.Len(t, r.Findings, 1)
	assert.Equal(t, "folded", r.Findings[0].Rule)
	assert.Contains(t, r.Findings[0].Suggestion, "agent")
	assert.Empty(t, r.Findings[0].Paste)
}

// TestCulprit checks that an attribute is the reason only if it makes at least half of the series.
func TestCulprit(t *testing.T) {
	c := Cost{In: conformance.Amount{Series: 100}, Attributes: []conformance.CostAttribute{{Key: "id", Without: 5, Removed: "pack"}, {Key: "a", Without: 50}, {Key: "b", Without: 70}}}
	require.NotNil(t, Culprit(&c))
	assert.Equal(t, "a", Culprit(&c).Key)
	c.Attributes[1].Without = 51
	assert.Nil(t, Culprit(&c))
	assert.Nil(t, Culprit(&Cost{}))
}

// TestManyCosts checks that the report is bounded, and what is saved is complete.
func TestManyCosts(t *testing.T) {
	b := newCosts(func() (all []explorer.Metric) {
		for i := range 2 * maxCosts {
			all = append(all, explorer.Metric{Service: "s", Name: strconv.Itoa(i), Limit: 1, In: explorer.Amount{Series: 3, Points: 2}, Out: explorer.Amount{Series: 1, Points: 1}})
		}
		return all
	}, nil)
	e := b.Report(b.since.Add(time.Minute), false).Explorer
	assert.Len(t, e.Metrics, maxCosts)
	assert.Equal(t, int64(2*maxCosts), e.NotShown)
	assert.Equal(t, 4*maxCosts, e.Saved.Series)
	assert.NotNil(t, e.Metrics[0].Attributes, "JSON has an empty list")
}

// TestNobodyShares checks the report without a cardinality processor.
func TestNobodyShares(t *testing.T) {
	b := newCosts(nil, func(s *Settings) { s.Costs = nil })
	assert.Equal(t, conformance.Explorer{Metrics: []Cost{}}, b.Report(b.since.Add(time.Minute), false).Explorer)
}
