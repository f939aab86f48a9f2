// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// withExemplars gives each point a number of exemplars with the values 100, 101 and so on.
func withExemplars(md pmetric.Metrics, n int) pmetric.Metrics {
	value := int64(100)
	for _, dp := range numberPoints(md).All() {
		for range n {
			e := dp.Exemplars().AppendEmpty()
			e.SetIntValue(value)
			e.SetTraceID(pcommon.TraceID{byte(value)})
			e.FilteredAttributes().PutStr("own", "x")
			value++
		}
	}
	return md
}

// exemplars returns the values and filtered attributes of all exemplars, by point.
func exemplars(md pmetric.Metrics) (all [][]string) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, dp := range rm.ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().All() {
			var of []string
			for _, e := range dp.Exemplars().All() {
				of = append(of, fmt.Sprint(e.IntValue(), " ", e.TraceID(), attributesText(e.FilteredAttributes().AsRaw())))
			}
			if of != nil {
				all = append(all, of)
			}
		}
	}
	return all
}

// TestExemplarsKeepDroppedAttributes checks that exemplars keep the attributes that a
// merged point loses.
func TestExemplarsKeepDroppedAttributes(t *testing.T) {
	r := newRig(t, nil)
	require.Equal(t, [][]string{{
		`100 64000000000000000000000000000000{id="1",own="x"}`, `101 65000000000000000000000000000000{id="2",own="x"}`, `102 66000000000000000000000000000000{own="x"}`,
	}}, exemplars(r.process(withExemplars(r.deltas(pt{"route=a id=1", 1, 10, 1}, pt{"route=a id=2", 1, 10, 1}, pt{"route=a", 1, 10, 1}), 1))))

	over := plainRig(t, func(cfg *Config) { cfg.Limit = 1 })
	require.Equal(t, [][]string{
		{`100 64000000000000000000000000000000{own="x"}`},
		{`101 65000000000000000000000000000000{own="x",user="b"}`, `102 66000000000000000000000000000000{host="h",own="x",user="c"}`},
	}, exemplars(over.process(withExemplars(over.deltas(pt{"user=a", 1, 10, 1}, pt{"user=b", 1, 10, 1}, pt{"user=c host=h", 1, 10, 1}), 1))))
}

// TestExemplarsOwnAttributesStay checks that an exemplar's own filtered attribute is not
// overwritten.
func TestExemplarsOwnAttributesStay(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.DropAttributes = []string{"own"} })
	require.Equal(t, [][]string{{
		`100 64000000000000000000000000000000{own="x"}`, `101 65000000000000000000000000000000{own="x"}`,
	}}, exemplars(r.process(withExemplars(r.deltas(pt{"own=1", 1, 10, 1}, pt{"own=2", 1, 10, 1}), 1))))
}

// TestExemplarsAreBounded checks that a merged point has at most eight exemplars.
func TestExemplarsAreBounded(t *testing.T) {
	f := func(points, each, want int) {
		t.Helper()
		r := newRig(t, nil)
		var of []pt
		for i := range points {
			of = append(of, pt{fmt.Sprint("id=", i), 1, 10, 1})
		}
		got := exemplars(r.process(withExemplars(r.deltas(of...), each)))
		require.Len(t, got, 1)
		require.Len(t, got[0], want)
	}
	f(2, 4, 8)
	f(2, 5, 8)
	f(2, 20, 8)
	f(100, 1, 8)
	f(3, 2, 6)
}

// TestExemplarsOfUntouchedPoints checks that points that are sent as they came keep all
// exemplars.
func TestExemplarsOfUntouchedPoints(t *testing.T) {
	for _, r := range []*rig{newRig(t, nil), plainRig(t, nil)} {
		got := exemplars(r.process(withExemplars(r.deltas(pt{"route=a", 1, 10, 1}, pt{"route=b", 1, 10, 1}), 20)))
		require.Len(t, got, 2)
		require.Len(t, got[0], 20)
		require.Contains(t, got[0][0], `{own="x"}`)
	}
}

// summaries returns a request of summaries named m. The value sets the count and the sum.
func (r *rig) summaries(of ...pt) pmetric.Metrics {
	md, m := emptyMetric("s", "m")
	m.SetEmptySummary()
	for _, p := range of {
		dp := m.Summary().DataPoints().AppendEmpty()
		r.common(dp, p)
		if p.value != nil {
			dp.SetCount(uint64(p.value.(int)))
			dp.SetSum(float64(10 * p.value.(int)))
		}
		q := dp.QuantileValues().AppendEmpty()
		q.SetQuantile(0.5)
		q.SetValue(10)
	}
	return md
}

// TestSummaries checks that summaries that would be merged are dropped, or merged without
// quantiles, which cannot be merged.
func TestSummaries(t *testing.T) {
	quantiles := func(md pmetric.Metrics) (n int) {
		for _, rm := range md.ResourceMetrics().All() {
			for _, dp := range rm.ScopeMetrics().At(0).Metrics().At(0).Summary().DataPoints().All() {
				n += dp.QuantileValues().Len()
			}
		}
		return n
	}
	r := newRig(t, func(cfg *Config) { cfg.Overrides = []OverridesItem{{Metric: "m", Summary: summaryDrop}} })
	out := r.process(r.summaries(pt{"id=1", 1, 10, 3}, pt{"id=2", 1, 10, 4}, pt{"route=a", 1, 10, 5}))
	require.Equal(t, []string{`{route="a"} 1..10 count 5, sum 50`}, r.text(out))
	require.Equal(t, 1, quantiles(out))

	r, logs := observedRig(t, func(cfg *Config) { cfg.DropAttributes = []string{"id"} })
	r.process(r.summaries(pt{"route=b", 1, 10, 5}))
	require.Zero(t, logs.Len())
	out = r.process(r.summaries(pt{"id=1", 1, 10, 3}, pt{"id=2", 1, 10, 4}, pt{"route=a", 1, 10, 5}))
	require.Equal(t, []string{`{route="a"} 1..10 count 5, sum 50`, `{} 0..10 count 7, sum 70`}, r.text(out))
	require.Equal(t, 1, quantiles(out))
	require.Equal(t, []string{`{} 0..20 count 9, sum 90`}, r.send(r.summaries(pt{"id=1", 1, 20, 5})))
	require.Equal(t, 1, logs.Len()) // once
	require.Equal(t, "m", logs.All()[0].ContextMap()["metric"])
	require.Equal(t, []string{`{} 0..30 count 10, sum 100`}, r.send(r.summaries(pt{"id=1", 25, 30, 1}))) // a reset
}
