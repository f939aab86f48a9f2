// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// shop returns a policy whose id is order, or is another key.
func shop(t *testing.T, ids bool) *policy.Policy { return shopIn(t, policy.Enforce, ids) }

// shopIn is shop in a mode.
func shopIn(t *testing.T, mode string, ids bool) *policy.Policy {
	key := map[bool]string{true: "order", false: "route"}[ids]
	pack, err := conventions.Parse("shop.yaml", fmt.Appendf(nil, "system: shop\nowns: {metrics: [shop_*, m], scopes: [till]}\nattributes: [{key: %s, id: true}]\n", key))
	require.NoError(t, err)
	rules := policy.NewDefaultConfig()
	rules.Mode = mode
	return policy.Of(*rules, []*conventions.Pack{pack})
}

// orders returns a counter with a stream for each value.
func orders(start pcommon.Timestamp, now time.Time, values ...int64) pmetric.Metrics {
	md := pmetric.NewMetrics()
	m := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName("shop_orders")
	sum := m.SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	for i, value := range values {
		dp := sum.DataPoints().AppendEmpty()
		dp.SetStartTimestamp(start)
		dp.SetTimestamp(pcommon.NewTimestampFromTime(now))
		dp.SetIntValue(value)
		dp.Attributes().PutInt("order", int64(i))
	}
	return md
}

// newReloading returns a processor whose policy can change.
func newReloading(t *testing.T, cfg *Config, first *policy.Policy) (*cardinalityProcessor, *policy.Live) {
	t.Helper()
	p, err := newProcessor(processortest.NewNopSettings(NewFactory().Type()), cfg)
	require.NoError(t, err)
	live := policy.NewLive(first)
	require.NoError(t, p.goBy(pipetest.HostOf(live)))
	return p, live
}

// TestChangedIDs checks that counters whose ids change with the packs start anew, and that no increment counts twice:
// while order is an id, the two streams are one series.
func TestChangedIDs(t *testing.T) {
	p, live := newReloading(t, createDefaultConfig().(*Config), shop(t, false))
	start, now := pcommon.NewTimestampFromTime(time.Now().Add(-time.Hour)), time.Now()
	type sent struct {
		value int64
		start pcommon.Timestamp
	}
	last := map[string]sent{}
	send := func(values ...int64) map[string]int64 {
		now = now.Add(time.Second)
		md := orders(start, now, values...)
		_, err := p.process(t.Context(), md)
		require.NoError(t, err)
		got := map[string]int64{}
		for _, dp := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().All() {
			key := fmt.Sprint(dp.Attributes().AsRaw())
			if before, ok := last[key]; ok && dp.IntValue() < before.value {
				assert.Greater(t, dp.StartTimestamp(), before.start, "%s goes backwards without a reset", key)
			}
			last[key] = sent{dp.IntValue(), dp.StartTimestamp()}
			got[key] = dp.IntValue()
		}
		return got
	}
	assert.Equal(t, map[string]int64{"map[order:0]": 10, "map[order:1]": 20}, send(10, 20))
	require.NoError(t, live.Change(shop(t, true)))
	assert.Equal(t, map[string]int64{"map[]": 0}, send(12, 22), "a baseline")
	assert.Equal(t, map[string]int64{"map[]": 7}, send(15, 26))
	// Other packs with the same ids change nothing.
	require.NoError(t, live.Change(shop(t, true)))
	assert.Equal(t, map[string]int64{"map[]": 9}, send(16, 27))
	require.NoError(t, live.Change(shop(t, false)))
	first, second := send(17, 28), send(18, 30)
	assert.Equal(t, int64(1), second["map[order:0]"]-first["map[order:0]"])
	assert.Equal(t, int64(2), second["map[order:1]"]-first["map[order:1]"])
}

// TestRestartAfterReload checks that a restart right after a change of the policy keeps the counters whose rules stay
// the same, though they had no point by the new policy.
func TestRestartAfterReload(t *testing.T) {
	directory := t.TempDir()
	start, now := pcommon.NewTimestampFromTime(time.Now().Add(-time.Hour)), time.Now()
	period := func(mode, next string, values ...int64) (got []int64) {
		cfg := createDefaultConfig().(*Config)
		cfg.StateDirectory = directory
		p, live := newReloading(t, cfg, shopIn(t, mode, true))
		require.NoError(t, p.openState())
		for _, value := range values {
			now = now.Add(time.Second)
			md := orders(start, now, value, value)
			_, err := p.process(t.Context(), md)
			require.NoError(t, err)
			got = append(got, md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().At(0).IntValue())
		}
		require.NoError(t, live.Change(shopIn(t, next, true)))
		require.NoError(t, p.closeState())
		return got
	}
	first := period(policy.Enforce, policy.Enforce, 10, 15)
	assert.Equal(t, []int64{first[1] + 2, first[1] + 10}, period(policy.Enforce, policy.Audit, 16, 20))
	assert.Equal(t, []int64{21, 25}, period(policy.Audit, policy.Enforce, 21, 25))
	assert.Equal(t, []int64{0, 4}, period(policy.Enforce, policy.Enforce, 26, 28), "what it counted was not sent")
}

// TestRestartAfterReloadOfTheSame checks that changes of the policy that end where they began and a restart, with no
// batch in between, change no point that is sent.
func TestRestartAfterReloadOfTheSame(t *testing.T) {
	counters := func(r *rig, service, scope, name string, value int) pmetric.Metrics {
		md := r.sum(service, name, pmetric.AggregationTemporalityCumulative, true, []pt{
			{"order=1 id=1", 1, r.now(), value}, {"order=2 id=2", 1, r.now(), 3 * value},
		})
		md.ResourceMetrics().At(0).ScopeMetrics().At(0).Scope().SetName(scope)
		return md
	}
	f := func(name string, settings func(*Config), request func(r *rig, value int) pmetric.Metrics) {
		t.Helper()
		run := func(t *testing.T, changes ...bool) (sent []string) {
			synctest.Test(t, func(t *testing.T) {
				directory := t.TempDir()
				r := clock(t)
				policyOf := func(ids bool) *policy.Policy {
					rules := policy.NewDefaultConfig()
					rules.Services = map[string]policy.Service{"audited": {Mode: policy.Audit}}
					return policy.Of(*rules, shop(t, ids).Packs())
				}
				stored := int64(0)
				for round := range 3 {
					current := policy.NewLive(policyOf(true))
					l := liveWith(t, pipetest.HostOf(current), directory, settings)
					series, _ := l.Metrics.(retried).processor.store.Counts()
					require.Equal(t, stored, series)
					for i := range 3 {
						time.Sleep(10 * time.Second)
						sent = append(sent, r.text(l.send(request(r, 10+5*round+i)))...)
					}
					stored, _ = l.Metrics.(retried).processor.store.Counts()
					require.Positive(t, stored)
					for _, ids := range changes {
						require.NoError(t, current.Change(policyOf(ids)))
					}
					l.end()
				}
			})
			return sent
		}
		t.Run(name, func(t *testing.T) {
			want := run(t)
			require.Equal(t, want, run(t, true))
			require.Equal(t, want, run(t, false, true))
		})
	}
	id := func(*Config) {}
	f("unowned", id, func(r *rig, value int) pmetric.Metrics { return counters(r, "s", "", "other", value) })
	f("unowned_with_override", func(cfg *Config) {
		cfg.DropAttributes, cfg.Overrides = nil, []OverridesItem{{Metric: "oth*", DropAttributes: []string{"id", "order"}}}
	}, func(r *rig, value int) pmetric.Metrics { return counters(r, "s", "", "other", value) })
	f("owned_by_name", id, func(r *rig, value int) pmetric.Metrics { return counters(r, "s", "", "shop_orders", value) })
	f("owned_by_scope", id, func(r *rig, value int) pmetric.Metrics { return counters(r, "s", "till", "other", value) })
	f("owned_by_page", id, func(r *rig, value int) pmetric.Metrics {
		page := "prometheusreceiver"
		md := counters(r, "s", page, "shop_orders", value)
		for _, name := range []string{"shop_sales", "other"} {
			more := counters(r, "s", page, name, value)
			more.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().MoveAndAppendTo(md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics())
		}
		return md
	})
	f("overflow", func(cfg *Config) { cfg.DropAttributes, cfg.Limit = nil, 1 }, func(r *rig, value int) pmetric.Metrics {
		return counters(r, "s", "", "other", value)
	})
	f("overflow_of_service", func(cfg *Config) { cfg.ServiceLimit = 1 }, func(r *rig, value int) pmetric.Metrics {
		return both(counters(r, "s", "", "other", value), counters(r, "s", "till", "shop_orders", value), counters(r, "s", "b", "other", value))
	})
	f("histogram", id, func(r *rig, value int) pmetric.Metrics {
		var points []hist
		for i := range 2 {
			points = append(points, hist{pt{fmt.Sprint("id=", i), 1, r.now(), nil}, []float64{5}, slices.Repeat([]float64{1, 10, 10}, value+i)})
			points[i].value = 0
		}
		return r.histograms(pmetric.AggregationTemporalityCumulative, points...)
	})
	f("deltas", id, func(r *rig, value int) pmetric.Metrics {
		return r.deltas(pt{"id=1", r.now() - 10, r.now(), value}, pt{"id=2", r.now() - 10, r.now(), value})
	})
	f("audited_service", id, func(r *rig, value int) pmetric.Metrics {
		return both(counters(r, "audited", "", "shop_orders", value), counters(r, "s", "", "shop_orders", value))
	})
}

// TestLateBatch checks that a batch that comes after the rules by which it was identified are gone has the identities
// that the new ones make.
func TestLateBatch(t *testing.T) {
	p, live := newReloading(t, createDefaultConfig().(*Config), shop(t, true))
	start, now := pcommon.NewTimestampFromTime(time.Now().Add(-time.Hour)), time.Now()
	send := func() pmetric.Metrics {
		now = now.Add(time.Second)
		return orders(start, now, 1, 2)
	}
	_, err := p.process(t.Context(), send())
	require.NoError(t, err)
	w := p.user.Current().walks.Get().(*walk)
	w.begin(false)
	late := orders(start, now.Add(time.Minute), 5, 6, 7, 8) // with two new streams
	w.identify(late)
	for _, ids := range []bool{false, true, false} {
		require.NoError(t, live.Change(shop(t, ids)))
		_, err := p.process(t.Context(), send())
		require.NoError(t, err)
	}
	w.merge(late)
	var got []any
	for _, dp := range late.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().All() {
		order, _ := dp.Attributes().Get("order")
		got = append(got, order.Int())
	}
	assert.Equal(t, []any{int64(0), int64(1), int64(2), int64(3)}, got)
}

// TestServicesChangeTheirModes checks that a service whose mode changes starts anew, without counting anything
// twice, and that the merged counters of the others go on.
func TestServicesChangeTheirModes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		directory := t.TempDir()
		r, began := clock(t), time.Now()
		counters := func(service string) pmetric.Metrics {
			value := int(time.Since(began).Seconds())
			return r.sum(service, "m", pmetric.AggregationTemporalityCumulative, true,
				[]pt{{"id=1", 1, r.now(), value}, {"id=2", 1, r.now(), value}})
		}
		period := func(services string, want map[string][]float64) {
			t.Helper()
			host, err := pipetest.NewHost(t.Context(), []byte("packs: [pytango]\nservices: {"+services+"}"))
			require.NoError(t, err)
			l := liveWith(t, host, directory, nil)
			got := map[string][]float64{}
			for range 2 {
				time.Sleep(10 * time.Second)
				for _, service := range []string{"a", "b"} {
					for _, point := range receive(l.send(counters(service))) {
						got[service] = append(got[service], point.is["value"])
					}
				}
			}
			l.end()
			require.Equal(t, want, got, services)
		}
		// Two streams grow by 10 each in 10 s.
		period("a: {mode: audit}", map[string][]float64{"a": {10, 10, 20, 20}, "b": {20, 40}})
		period("a: {mode: audit}", map[string][]float64{"a": {30, 30, 40, 40}, "b": {60, 80}})
		period("", map[string][]float64{"a": {0, 20}, "b": {100, 120}})
		period("b: {mode: audit}", map[string][]float64{"a": {40, 60}, "b": {70, 70, 80, 80}})
		period("", map[string][]float64{"a": {80, 100}, "b": {0, 20}})
	})
}
