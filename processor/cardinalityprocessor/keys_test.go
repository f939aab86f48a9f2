// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// ofMetric returns a delta of one metric with two points.
func (r *rig) ofMetric(service, metric string, attrs ...string) pmetric.Metrics {
	var points []pt
	for _, a := range attrs {
		points = append(points, pt{a, 1, 10, 1})
	}
	return r.sum(service, metric, pmetric.AggregationTemporalityDelta, true, points)
}

// TestDroppedAttributes checks which attributes are dropped, by packs and by settings.
func TestDroppedAttributes(t *testing.T) {
	var pack any = conventions.Builtins
	f := func(change func(*Config), service, metric, attrs, want string) {
		t.Helper()
		r := newRig(t, func(cfg *Config) {
			cfg.DropAttributes = nil
			change(cfg)
		}, pack)
		require.Equal(t, []string{want + " 1..10 1"}, r.send(r.ofMetric(service, metric, attrs)))
	}
	defaults := func(*Config) {}
	// By a pack, in what its system sends.
	f(defaults, "x", "tc_replicas_total", "artifact_id=1 route=a", `{route="a"}`)
	f(defaults, "x", "tc_replicas_total", "tc.artifact.id=1 route=a", `{route="a"}`)
	f(defaults, "x", "http_requests", "artifact_id=1 route=a", `{artifact_id="1",route="a"}`)
	pack = "tuft"
	f(defaults, "x", "tc_replicas_total", "artifact_id=1 route=a", `{artifact_id="1",route="a"}`)
	pack = conventions.Builtins
	// By the settings.
	f(func(cfg *Config) { cfg.DropAttributes = []string{"route"} }, "x", "http_requests", "id=1 route=a", `{id="1"}`)
	f(func(cfg *Config) { cfg.DropAttributes = []string{"route"} }, "x", "tc_replicas_total", "artifact_id=1 route=a", `{}`)
	overrides := func(all ...OverridesItem) func(*Config) {
		return func(cfg *Config) { cfg.Overrides, cfg.DropAttributes = all, []string{"id"} }
	}
	drop := overrides(OverridesItem{Metric: "http_*", DropAttributes: []string{"route"}}, OverridesItem{Metric: "*_requests", DropAttributes: []string{"host"}})
	f(drop, "x", "http_requests", "id=1 route=a host=h user=u", `{user="u"}`)
	f(drop, "x", "rpc_requests", "id=1 route=a host=h user=u", `{route="a",user="u"}`)
	f(drop, "x", "rpc", "id=1 route=a host=h user=u", `{host="h",route="a",user="u"}`)
	// keep_attributes takes precedence over all other rules.
	keep := overrides(OverridesItem{Metric: "tc_*", KeepAttributes: []string{"artifact_id", "id"}}, OverridesItem{Metric: "*", KeepAttributes: []string{"host"}},
		OverridesItem{Metric: "*", DropAttributes: []string{"id", "host"}})
	f(keep, "x", "tc_replicas_total", "artifact_id=1 id=2 route=a host=h", `{artifact_id="1",id="2"}`)
	f(keep, "x", "http_requests", "artifact_id=1 id=2 route=a host=h", `{host="h"}`)
	f(overrides(OverridesItem{Metric: "*", KeepAttributes: []string{}}), "x", "http_requests", "artifact_id=1 route=a", `{}`)
}

// TestExemptMetrics checks that info metrics and the collector's own are left alone,
// whatever the limits are.
func TestExemptMetrics(t *testing.T) {
	const own = "go.opentelemetry.io/collector/receiver/receiverhelper"
	f := func(exempt bool, scope, metric string, monotonic bool, value any) {
		t.Helper()
		r := newRig(t, func(cfg *Config) {
			cfg.Limit, cfg.ServiceLimit, cfg.AttributeLimits = 1, 1, map[string]int{"user": 1}
			cfg.Overrides = []OverridesItem{{Metric: "*", DropAttributes: []string{"route"}}}
		})
		var points []pt
		for _, attrs := range []string{"id=1 user=a", "id=2 user=b", "id=3 route=x", "id=3 route=y"} {
			points = append(points, pt{attrs, 1, 10, value})
		}
		md := r.sum("s", metric, pmetric.AggregationTemporalityCumulative, monotonic, points)
		if !monotonic && scope == "gauge" {
			md, _ = emptyMetric("s", metric)
			r.numbers(md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).SetEmptyGauge().DataPoints(), points)
		}
		md.ResourceMetrics().At(0).ScopeMetrics().At(0).Scope().SetName(scope)
		want, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
		require.NoError(t, err)
		got, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(r.process(md))
		require.NoError(t, err)
		require.Equal(t, exempt, string(want) == string(got), metric)
		if exempt {
			require.Zero(t, r.series())
		}
	}
	for _, metric := range []string{"target_info", "python_info", "k8s.node.info"} {
		f(true, "app", metric, false, 1)
		f(true, "gauge", metric, false, 1.0)
		f(false, "app", metric, true, 1)
		f(false, "app", metric, false, 2)
		f(false, "gauge", metric, false, 1.5)
	}
	for _, metric := range []string{"otelcol_process_uptime", "otelcol.exporter.sent"} {
		f(true, own, metric, true, 7)
		f(true, "github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor", metric, true, 7)
		f(false, "app", metric, true, 7)
	}
	for _, metric := range []string{"information", "info", "my_otelcol_x", "target_infos", "otelcolx"} {
		f(false, own, metric, false, 1)
	}
	// Full memory does not affect them either.
	r := newRig(t, nil)
	r.p.store.Memory.Limit = 0
	require.Len(t, r.send(r.sum("s", "target_info", pmetric.AggregationTemporalityCumulative, false, []pt{{"id=1", 1, 10, 1}, {"id=2", 1, 10, 1}})), 2)
}

// TestIdentity checks that attributes of other types are other series, and that the order
// of keys does not matter.
func TestIdentity(t *testing.T) {
	r := plainRig(t, func(cfg *Config) { cfg.Limit = 5 })
	md := r.ofMetric("s", "m", "", "", "", "", "")
	points := numberPoints(md)
	points.At(0).Attributes().PutStr("a", "1")
	points.At(1).Attributes().PutInt("a", 1)
	points.At(2).Attributes().PutDouble("a", 1)
	points.At(3).Attributes().PutBool("a", true)
	points.At(4).Attributes().PutEmptyBytes("a").FromRaw([]byte("1"))
	require.Empty(t, overflows(r.process(md)))
	require.Equal(t, int64(5), r.series())

	// Swapped or equal values do not cancel out.
	f := func(want int64, attrs ...string) {
		t.Helper()
		r := plainRig(t, nil)
		r.process(r.ofMetric("s", "m", attrs...))
		require.Equal(t, want, r.series())
	}
	f(2, "a=1 b=2", "a=2 b=1")
	f(3, "a=1 b=1", "a=2 b=2", "a=3 b=3")
	f(1, "a=1 b=2", "b=2 a=1")
	f(4, "a=1", "b=1", "a=11", "a1=1")
	f(3, "a=b", "ab=", "=ab")
}

// TestMetricIdentity checks what distinguishes metrics: everything but the description,
// bounds, scale and type of numbers.
func TestMetricIdentity(t *testing.T) {
	f := func(want int, change func(rm pmetric.ResourceMetrics, m pmetric.Metric)) {
		t.Helper()
		r := newRig(t, nil)
		one, two := r.deltas(pt{"id=1", 1, 10, 1}), r.deltas(pt{"id=2", 1, 10, 1})
		rm := two.ResourceMetrics().At(0)
		change(rm, rm.ScopeMetrics().At(0).Metrics().At(0))
		require.Len(t, r.send(both(one, two)), want)
	}
	scope := func(rm pmetric.ResourceMetrics) pmetric.ScopeMetrics { return rm.ScopeMetrics().At(0) }
	f(1, func(pmetric.ResourceMetrics, pmetric.Metric) {})
	f(1, func(_ pmetric.ResourceMetrics, m pmetric.Metric) { m.SetDescription("x") })
	f(1, func(_ pmetric.ResourceMetrics, m pmetric.Metric) { m.Sum().DataPoints().At(0).SetDoubleValue(1) })
	f(2, func(_ pmetric.ResourceMetrics, m pmetric.Metric) { m.SetUnit("s") })
	f(2, func(_ pmetric.ResourceMetrics, m pmetric.Metric) { m.SetName("n") })
	f(2, func(_ pmetric.ResourceMetrics, m pmetric.Metric) { m.Sum().SetIsMonotonic(false) })
	f(2, func(_ pmetric.ResourceMetrics, m pmetric.Metric) { m.Sum().SetAggregationTemporality(2) })
	f(2, func(rm pmetric.ResourceMetrics, _ pmetric.Metric) { rm.Resource().Attributes().PutInt("pid", 1) })
	f(2, func(rm pmetric.ResourceMetrics, _ pmetric.Metric) { scope(rm).Scope().SetName("x") })
	f(2, func(rm pmetric.ResourceMetrics, _ pmetric.Metric) { scope(rm).Scope().SetVersion("x") })
	f(2, func(rm pmetric.ResourceMetrics, _ pmetric.Metric) { scope(rm).Scope().Attributes().PutInt("x", 1) })
}
