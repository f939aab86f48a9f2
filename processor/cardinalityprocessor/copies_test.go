// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// The canonical copies of Ray's metrics lose the ids that its dashboards need on the metrics themselves. Requests and
// counts add up, and of caches the fullest is left.
func TestCopiesOfRay(t *testing.T) {
	r := newRig(t, nil, conventions.Builtins)
	named := func(md pmetric.Metrics, original, name string) pmetric.Metrics {
		m := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0)
		m.SetName(name)
		if original != "" {
			m.Metadata().PutStr(naming.CopyOfKey, original)
		}
		return md
	}
	const one, other = "WorkerId=w1 ReplicaId=a SessionName=s1 model=m", "WorkerId=w2 ReplicaId=b SessionName=s1 model=m"
	gauges := func(a, b float64) pmetric.Metrics { return r.gauges(pt{one, 0, 10, a}, pt{other, 0, 10, b}) }

	const running, cache, tokens = "ray_vllm_num_requests_running", "ray_vllm_kv_cache_usage_perc", "ray_vllm_prompt_tokens_total"
	assert.Len(t, r.send(named(gauges(3, 4), "", running)), 2, "Ray's dashboard groups by WorkerId")
	assert.Equal(t, []string{"{model=\"m\"} ..10 7"}, r.send(named(gauges(3, 4), running, "tc_inference_requests_running")))
	assert.Equal(t, []string{"{model=\"m\"} ..10 0.5"}, r.send(named(gauges(0.25, 0.5), cache, "tc_inference_kv_cache_usage_ratio")))
	counters := r.counters(pt{one, 1, 10, 30}, pt{other, 1, 10, 12})
	assert.Equal(t, []string{"{model=\"m\"} 0..10 42"}, r.send(named(counters, tokens, "tc_inference_tokens")))
	bounds := []float64{1, 2}
	histograms := r.histograms(pmetric.AggregationTemporalityDelta, hist{pt{one, 1, 10, 1}, bounds, []float64{0.5, 1.5}}, hist{pt{other, 1, 10, 1}, bounds, []float64{1.5}})
	assert.Equal(t, []string{`{model="m"} 1..10 count 3, le 1 1, le 2 3, sum 3.5`}, r.send(named(histograms, "ray_vllm_e2e_request_latency_seconds", "gen_ai.server.request.duration")))
}

// Metrics of users are on Ray's page too. Their labels stay, whatever keys they have.
func TestUsersMetricsOnRaysPage(t *testing.T) {
	r := newRig(t, nil, conventions.Builtins)
	md := r.counters(pt{"job_id=a task_id=b node_id=c pid=d handle=e WorkerId=f JobId=g", 1, 10, 1})
	md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).SetName("ray_myapp_orders_total")
	out := r.process(md)
	attributes := out.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().At(0).Attributes()
	assert.Equal(t, map[string]any{"job_id": "a", "task_id": "b", "node_id": "c", "pid": "d", "handle": "e"}, attributes.AsRaw())
}
