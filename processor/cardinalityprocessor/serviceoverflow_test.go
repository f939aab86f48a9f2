// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// instance returns a request of one instance of a service.
func (r *rig) instance(n int, temporality pmetric.AggregationTemporality, points ...pt) pmetric.Metrics {
	md := r.sum("s", "m", temporality, true, points)
	resource := md.ResourceMetrics().At(0).Resource().Attributes()
	resource.PutStr("service.instance.id", fmt.Sprint("i", n))
	resource.PutStr("k8s.pod.name", fmt.Sprint("pod-", n))
	resource.PutStr("host.name", fmt.Sprint("host-", n))
	resource.PutStr("deployment.environment.name", "prod")
	md.ResourceMetrics().At(0).ScopeMetrics().At(0).Scope().SetName(fmt.Sprint("scope-", n))
	return md
}

// TestServiceLimitHoldsOverPods checks that a service has one overflow series for all its
// instances, and that nothing is lost or counted twice.
func TestServiceLimitHoldsOverPods(t *testing.T) {
	f := func(temporality pmetric.AggregationTemporality, batch int) {
		t.Helper()
		r := plainRig(t, func(cfg *Config) { cfg.ServiceLimit = 10 })
		kind := "delta_sum"
		if temporality == pmetric.AggregationTemporalityCumulative {
			kind = "cumulative_sum"
		}
		in, out := r.senders(kind), r.receivers(kind)
		series := map[string]bool{}
		resources := map[string]bool{}
		for round := range 3 {
			for pod := 0; pod < 1000; pod += batch {
				md := pmetric.NewMetrics()
				for i := range batch {
					at := float64(10 + round)
					r.instance(pod+i, temporality, pt{"route=/a", at - 1, at, round + 1}).ResourceMetrics().MoveAndAppendTo(md.ResourceMetrics())
				}
				if temporality == pmetric.AggregationTemporalityCumulative {
					for _, rm := range md.ResourceMetrics().All() {
						rm.ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().At(0).SetStartTimestamp(r.at(1))
					}
				}
				in.read(md)
				got := out.read(r.process(md))
				for _, p := range receive(got) {
					series[p.series] = true
				}
				require.LessOrEqual(t, len(overflows(got)), 1)
				for _, rm := range got.ResourceMetrics().All() {
					if rm.ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().At(0).Attributes().Len() == 1 {
						resources[fmt.Sprint(rm.Resource().Attributes().AsRaw())] = true
					}
				}
			}
		}
		assert.Len(t, series, 11)
		assert.InDelta(t, in.total(), out.total(), 0)
		for resource := range resources {
			if assert.NotEmpty(t, resource) {
				assert.Contains(t, resource, "service.name:s")
			}
		}
	}
	for _, batch := range []int{1, 50, 1000} {
		f(pmetric.AggregationTemporalityDelta, batch)
		f(pmetric.AggregationTemporalityCumulative, batch)
	}
}

// TestServiceOverflowResource checks which resource attributes the overflow series of a service
// keeps, and that it names its writer.
func TestServiceOverflowResource(t *testing.T) {
	r := plainRig(t, func(cfg *Config) { cfg.ServiceLimit = 1 })
	r.process(r.instance(1, pmetric.AggregationTemporalityDelta, pt{"route=/a", 1, 10, 1}))
	out := r.process(r.instance(2, pmetric.AggregationTemporalityDelta, pt{"route=/a", 1, 10, 1}))
	require.Equal(t, 1, out.ResourceMetrics().Len())
	attrs := out.ResourceMetrics().At(0).Resource().Attributes().AsRaw()
	writer := attrs["service.instance.id"]
	assert.Regexp(t, "^overflow-[0-9a-f]{16}$", writer)
	delete(attrs, "service.instance.id")
	assert.Equal(t, map[string]any{"service.name": "s", "deployment.environment.name": "prod"}, attrs)
	assert.Empty(t, out.ResourceMetrics().At(0).ScopeMetrics().At(0).Scope().Name())
	// A restart with the state keeps the writer, another collector has its own.
	restarted, second := plainRig(t, func(cfg *Config) { cfg.ServiceLimit = 1 }), plainRig(t, func(cfg *Config) { cfg.ServiceLimit = 1 })
	copySeries(t, r.p, restarted.p)
	writerOf := func(r *rig) any {
		r.process(r.instance(1, pmetric.AggregationTemporalityDelta, pt{"route=/a", 1, 20, 1}))
		md := r.process(r.instance(3, pmetric.AggregationTemporalityDelta, pt{"route=/a", 1, 20, 1}))
		value, _ := md.ResourceMetrics().At(0).Resource().Attributes().Get("service.instance.id")
		return value.AsString()
	}
	assert.Equal(t, writer, writerOf(restarted))
	assert.NotEqual(t, writer, writerOf(second))
}
