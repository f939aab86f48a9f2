// SPDX-License-Identifier: Apache-2.0

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
			assert.Equal(t, test.want.Keys[0], exploding.Keys)
		}
	}
}

// TestCulpritsTogether checks the attributes that make the series only together, and their fix.
func TestCulpritsTogether(t *testing.T) {
	fixes := []conformance.Fix{{Kind: conformance.FixDrop, YAML: "processors:", Series: 12}}
	pods := conformance.CostTogether{Keys: []string{"pod", "uid"}, Without: 12, Fixes: fixes}
	instances := conformance.CostTogether{Keys: []string{"pod"}, Resource: true, Values: 300, Without: 30}
	for _, test := range []struct {
		together []conformance.CostTogether
		without  int // a single attribute, which is called pod too
		want     *conformance.Culprit
		fixes    []conformance.Fix
		advice   string
	}{
		{[]conformance.CostTogether{pods}, 6000, &conformance.Culprit{Keys: []string{"pod", "uid"}, Left: 12}, fixes, "without the attributes pod, uid"},
		{[]conformance.CostTogether{instances}, 6000, &conformance.Culprit{Keys: []string{"pod"}, Resource: true, Left: 30}, nil, "with fewer resources: they differ by pod"},
		{[]conformance.CostTogether{pods}, 20, &conformance.Culprit{Keys: []string{"pod"}, Left: 20}, nil, "without the attribute pod"},
		{[]conformance.CostTogether{{Keys: []string{"pod", "uid"}, Without: 3001}}, 6000, nil, nil, ""},
	} {
		b := newCosts(func() []explorer.Metric {
			return []explorer.Metric{{
				Service: "shop", Name: "orders", Limit: 100, In: explorer.Amount{Series: 6000}, Folded: map[string]int{"limit": 5000}, Together: test.together, NotFollowed: "x",
				Attributes: []conformance.CostAttribute{{Key: "pod", Without: test.without}},
			}}
		}, nil)
		r := b.Report(b.since.Add(time.Minute), false)
		c := r.Explorer.Metrics[0]
		assert.Equal(t, test.want, c.Culprit)
		assert.Equal(t, test.together, c.Together)
		assert.Equal(t, "x", c.NotFollowed)
		if exploding := Explodes(&c); test.want != nil {
			assert.Equal(t, test.fixes, exploding.Fixes)
		}
		require.Len(t, r.Findings, 1)
		assert.Equal(t, test.advice, r.Findings[0].Suggestion)
	}
}

// TestCardinalityDecides checks the findings about a metric that cardinality knows: its limit counts, and what is
// pasted has the overrides that it has, and no smaller limit.
func TestCardinalityDecides(t *testing.T) {
	var known []explorer.Metric
	b := newCosts(func() []explorer.Metric { return known }, nil)
	svc := b.Service("shop", b.since)
	s := b.Series(svc, "orders", func() naming.Series { return naming.Series{} })
	for hash := range uint64(101) {
		s.Add([]uint64{hash}, Instrument{}, b.since, nil)
	}
	at := b.since
	report := func() *Report {
		at = at.Add(time.Minute)
		return b.Report(at, true)
	}
	found := func() (f Finding, processors map[string]any) {
		t.Helper()
		var new []Finding
		for _, f := range report().Findings {
			if f.Count > 0 {
				new = append(new, f)
			}
		}
		require.Len(t, new, 1)
		var all map[string]map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(new[0].Paste), &all))
		return new[0], all["processors"]
	}
	overrides := func(limit int, others ...any) map[string]any {
		return map[string]any{"overrides": append([]any{map[string]any{"metric": "orders", "limit": limit}}, others...)}
	}
	f, processors := found()
	assert.Equal(t, RuleOverBudget.ID, f.Rule)
	assert.Contains(t, f.Paste, "# If the processor has overrides, add them below this one")
	assert.Equal(t, map[string]any{"cardinality": overrides(202)}, processors)

	known = exploded()
	known[0].Folded, known[0].Limit = nil, 110
	known[0].In.Series, known[0].Out.Series = 101, 101
	attributes := known[0].Attributes
	known[0].Attributes = nil
	f, processors = found()
	assert.Equal(t, RuleNearBudget.ID, f.Rule, "101 are within 110")
	assert.NotContains(t, f.Paste, "#")
	kube := map[string]any{"metric": "kube_*", "limit": 50000}
	assert.Equal(t, map[string]any{"cardinality/shop": overrides(202, kube)}, processors)

	known[0].Attributes = attributes
	f, _ = found()
	assert.Equal(t, "processors:", f.Paste, "what removes the attribute comes before a larger limit")

	known[0].Limit = 60
	r := report()
	assert.False(t, slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Count > 0 }), "two resources have the limit of each")
	assert.Zero(t, r.Services[0].OverBudget)
	assert.InDelta(t, 1, r.Services[0].BudgetUsed, 1e-9)

	known[0].Folded = map[string]int{"limit": 40}
	f, _ = found()
	assert.Equal(t, RuleFolded.ID, f.Rule)
	assert.Equal(t, 1, report().Services[0].OverBudget)
}

// TestCulpritAppears checks that there is one finding for a metric before and after its culprit is known.
func TestCulpritAppears(t *testing.T) {
	known := exploded()
	attributes := known[0].Attributes
	known[0].Attributes = nil
	b := newCosts(func() []explorer.Metric { return known }, nil)
	b.Service("shop", b.since)
	f := b.Report(b.since.Add(time.Minute), false).Findings[0]
	assert.Empty(t, f.Paste)
	assert.Equal(t, actionFolded, f.Action)
	known[0].Attributes = attributes
	r := b.Report(b.since.Add(2*time.Minute), false)
	require.Len(t, r.Findings, 1)
	assert.Equal(t, "processors:", r.Findings[0].Paste)
	assert.Equal(t, RuleFolded.Action, r.Findings[0].Action)
	assert.Equal(t, "without the attribute request", r.Findings[0].Suggestion)
	assert.EqualValues(t, 2, r.Findings[0].Total)
}

// TestCostsOfSeveralProcessors checks that those with the most series are shown, and that each has its own history.
func TestCostsOfSeveralProcessors(t *testing.T) {
	many := explorer.Metric{Service: "shop", Name: "orders", Limit: 100, Processor: paste.Cardinality{ID: "cardinality"}, In: explorer.Amount{Series: 5000}, Folded: map[string]int{"limit": 4900}}
	b := newCosts(func() (all []explorer.Metric) {
		for i := range maxCosts {
			all = append(all, explorer.Metric{Service: strconv.Itoa(i), Name: "orders", Limit: 100, Processor: paste.Cardinality{ID: "cardinality/genai"}, In: explorer.Amount{Series: 1}})
		}
		few := many
		few.In.Series, few.Folded, few.Processor.ID = 11, nil, "cardinality/b"
		return append(all, many, few)
	}, nil)
	b.Service("shop", b.since)
	b.Report(b.since.Add(time.Minute), false)
	r := b.Report(b.since.Add(2*time.Minute), false)
	require.Len(t, r.Explorer.Metrics, maxCosts)
	assert.Equal(t, 2, r.Explorer.NotShown)
	assert.Equal(t, "cardinality", r.Explorer.Metrics[0].Processor)
	assert.Equal(t, "cardinality/b", r.Explorer.Metrics[1].Processor)
	for i, series := range []int{5000, 11} {
		assert.Equal(t, []conformance.SeriesAt{{In: series}, {In: series}}, r.Explorer.Metrics[i].History)
	}
	require.Len(t, r.Findings, 1)
	assert.Equal(t, 1, r.Services[0].OverBudget)
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
	assert.Equal(t, maxCosts, e.NotShown)
	assert.Equal(t, 4*maxCosts, e.Saved.Series)
	assert.NotNil(t, e.Metrics[0].Attributes, "JSON has an empty list")
}

// TestNobodyShares checks the report without a cardinality processor.
func TestNobodyShares(t *testing.T) {
	b := newCosts(nil, func(s *Settings) { s.Costs = nil })
	assert.Equal(t, conformance.Explorer{Metrics: []Cost{}}, b.Report(b.since.Add(time.Minute), false).Explorer)
}
