// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

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
