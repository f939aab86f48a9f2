package report

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/explorer"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
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
		Service: "shop", Name: "orders", Processor: paste.Cardinality{ID: "cardinality/shop", Overrides: []any{map[string]any{"metric": "kube_*", "limit": 50000}}}, Limit: 100,
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

// TestCulprit checks which attribute makes the series, or made them before it was removed.
func TestCulprit(t *testing.T) {
	attribute := func(key string, without int, removed string) conformance.CostAttribute {
		return conformance.CostAttribute{Key: key, Without: without, Removed: removed}
	}
	type attributes []conformance.CostAttribute
	stays := func(key string, left int) *conformance.Culprit {
		return &conformance.Culprit{Keys: []string{key}, Left: left}
	}
	removed := func(by string, left int, keys ...string) *conformance.Culprit {
		return &conformance.Culprit{Keys: keys, Removed: by, Left: left}
	}
	for _, test := range []struct {
		refused    int
		attributes attributes
		want       *conformance.Culprit
	}{
		{4000, attributes{attribute("id", 12, ""), attribute("method", 5900, "")}, stays("id", 12)},
		{4000, attributes{attribute("id", 3000, ""), attribute("method", 3001, "")}, stays("id", 3000)},
		{4000, attributes{attribute("id", 3001, "")}, nil},
		{4000, attributes{attribute("method", 5900, ""), attribute("id", 12, "")}, stays("id", 12)},
		{4000, nil, nil},
		// What is removed made the series, though few of those that are left would remain without another one.
		{0, attributes{attribute("method", 3, ""), attribute("id", 12, "pack")}, removed("pack", 12, "id")},
		{0, attributes{attribute("id", 12, "setting"), attribute("user", 12, "pack"), attribute("method", 3, "")}, removed("setting", 12, "id", "user")},
		// It did not help enough: 1,000 of the 3,000 that are left are refused.
		{1000, attributes{attribute("url", 40, ""), attribute("id", 3000, "pack")}, stays("url", 40)},
		{1000, attributes{attribute("url", 2900, ""), attribute("id", 3000, "pack")}, removed("pack", 3000, "id")},
		// It made less than half of them.
		{3000, attributes{attribute("url", 40, ""), attribute("id", 5000, "pack")}, stays("url", 40)},
		{3000, attributes{attribute("url", 2501, ""), attribute("id", 5000, "pack")}, nil},
	} {
		c := costOf(&explorer.Metric{
			In: explorer.Amount{Series: 6000}, Folded: map[string]int{"limit": test.refused}, Attributes: test.attributes,
		}, time.Minute)
		assert.Equal(t, test.want, c.Culprit, "%+v", test)
		if exploding := Explodes(&c); test.want == nil || test.want.Removed != "" {
			assert.Nil(t, exploding, "%+v", test)
		} else if assert.NotNil(t, exploding, "%+v", test) {
			assert.Equal(t, test.want.Keys[0], exploding.Key)
		}
	}
}

// TestLimitKeepsOverrides checks that what is pasted for a metric past its limit has the overrides that cardinality
// has, and no smaller limit than the metric has.
func TestLimitKeepsOverrides(t *testing.T) {
	var known []explorer.Metric
	b := newCosts(func() []explorer.Metric { return known }, nil)
	svc := b.Service("shop", b.since)
	s := b.Series(svc, "orders", func() naming.Series { return naming.Series{} })
	for hash := range uint64(101) {
		s.Add([]uint64{hash}, Instrument{}, b.since, nil)
	}
	pasted := func() (text string, processors map[string]any) {
		t.Helper()
		r := b.Report(b.since.Add(time.Minute), false)
		at := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Rule == RuleOverBudget.ID })
		require.GreaterOrEqual(t, at, 0)
		text = r.Findings[at].Paste
		var all map[string]map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(text), &all))
		return text, all["processors"]
	}
	kube := map[string]any{"metric": "kube_*", "limit": 50000}
	overrides := func(limit int, others ...any) map[string]any {
		return map[string]any{"overrides": append([]any{map[string]any{"metric": "orders", "limit": limit}}, others...)}
	}
	text, processors := pasted()
	assert.Contains(t, text, "# If the processor has overrides, add them below this one")
	assert.Equal(t, map[string]any{"cardinality": overrides(202)}, processors)

	known = exploded()
	text, processors = pasted()
	assert.NotContains(t, text, "#")
	assert.Equal(t, map[string]any{"cardinality/shop": overrides(12000, kube)}, processors, "101 are what is left of 6,000")

	known[0].Limit = 20000
	_, processors = pasted()
	assert.Equal(t, map[string]any{"cardinality/shop": overrides(20000, kube)}, processors)
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
