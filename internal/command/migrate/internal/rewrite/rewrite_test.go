// SPDX-License-Identifier: Apache-2.0

package rewrite

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/document"
	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/names"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
)

// inferencePack renames what the built-in packs keep or leave to others. It comes before them.
const inferencePack = `
system: inference
owns: {metrics: ["vllm:*", "DCGM_*", "node_*", "ray_*", "engine.*", "engine_*"]}
metrics:
  rules:
    - {match: '^engine_wait_ms$', rename: tc_engine_wait, unit: ms, convert: s}
    - {match: '^engine_queue_time$', unit: ms, convert: s}
    - {match: '^engine_slot_(?P<slot>\d+)_load$', rename: tc_engine_slot_load, attributes: {tc.slot: "{slot}"}}
    - {match: '^engine_done$', type: counter}
  prefixes:
    "vllm:": tc_vllm_
    DCGM_FI_DEV_: tc_gpu_
    DCGM_: tc_gpu_
    node_: tc_node_
    ray_: tc_ray_
    engine.: tc_engine_
    engine_: tc_engine_
  gauges:
    - {match: "tc_gpu_*", aggregate: mean}
    - {match: "tc_engine_depth", aggregate: sum}
attributes:
  - {key: model_name, rename: tc.model.name}
  - {key: gpu, rename: tc.gpu.index}
  - {key: Hostname, rename: tc.host.name}
  - {key: request_id, id: true}
  - {key: place, rename: tc.place, allowed: [gpu, cpu]}
`

// newNames returns the decisions of the built-in packs and of inferencePack, with the uses of queries.
func newNames(t testing.TB, page string, queries ...string) *names.Names {
	t.Helper()
	packs, err := conventions.Load(nil)
	require.NoError(t, err)
	own, err := conventions.Parse("inference.yaml", []byte(inferencePack))
	require.NoError(t, err)
	packs = append([]*conventions.Pack{own}, packs...)
	namer := naming.New(packs, naming.Options{Prefix: "tc_", Exempt: naming.DefaultExempt})
	n := names.New(namer, packs, "")
	if page != "" {
		require.NoError(t, n.Read([]byte(page)))
	}
	for _, query := range queries {
		Observe(query, n)
	}
	return n
}

func TestRewrite(t *testing.T) {
	f := func(query, want string) {
		t.Helper()
		result := Query(query, newNames(t, "", query))
		assert.Empty(t, result.Undecided, query)
		assert.Equal(t, want, document.Apply(query, result.Edits))
	}
	same := func(query string) { t.Helper(); f(query, query) }

	// Names that no pack owns, and those of our page.
	same(`sum by (job) (rate(http_requests_total{job=~"$job"}[$__rate_interval]))`)
	same(`tc_memory_pool_bytes{location="gpu"}`)
	same(`rate(tc_p2p_bytes[5m])`)
	same(`up == 0`)
	same(`1 + 2`)
	same(`{job="shop"}`)
	same(`count({__name__!=""}) by (__name__)`)
	same(`{__name__=~"tc_memory_pool_bytes|tc_replicas"}`)
	same(`{__name__=~"tc_.*"}`)
	same(`{__name__=~"kube_.+"}`)
	same(`kube_${kind}_info`)

	// Samples of all types.
	f(`fastdeploy:num_requests_running`, `tc_fastdeploy_num_requests_running`)
	f(`rate(fastdeploy:request_success_total[5m])`, `rate(tc_fastdeploy_request_success_total[5m])`)
	f(`rate(fastdeploy:requests[5m])`, `rate(tc_fastdeploy_requests_total[5m])`)
	f(`histogram_quantile(0.99, sum by(le) (rate(vllm:e2e_request_latency_seconds_bucket{model_name="$model_name"}[$__rate_interval])))`,
		`histogram_quantile(0.99, sum by(le) (rate(tc_vllm_e2e_request_latency_seconds_bucket{tc_model_name="$model_name"}[$__rate_interval])))`)
	f("rate(vllm:e2e_seconds_sum[1m])\n/\nrate(vllm:e2e_seconds_count[1m])", "rate(tc_vllm_e2e_seconds_sum[1m])\n/\nrate(tc_vllm_e2e_seconds_count[1m])")
	f(`tuft_futures_created_total`, `tc_tuft_futures_created_total`)
	// The unit tokens/s adds to a name that has it already.
	f(`rate(tuft_training_tokens_per_second_per_second_sum[5m])`, `rate(tc_tuft_training_tokens_per_second_sum[5m])`)
	f(`first_token_latency_bucket`, `tc_fastdeploy_first_token_latency_bucket`)

	// Labels.
	f(`max(DCGM_FI_DEV_GPU_TEMP{Hostname=~"$Hostname", gpu=~"$gpu"}) by (Hostname, gpu, uuid)`,
		`max(tc_gpu_gpu_temp{tc_host_name=~"$Hostname", tc_gpu_index=~"$gpu"}) by (tc_host_name, tc_gpu_index, uuid)`)
	f(`sum without (gpu) (DCGM_FI_DEV_GPU_TEMP)`, `sum without (tc_gpu_index) (tc_gpu_gpu_temp)`)
	f(`topk by (gpu) (3, DCGM_FI_DEV_GPU_TEMP)`, `topk by (tc_gpu_index) (3, tc_gpu_gpu_temp)`)
	f(`DCGM_FI_DEV_GPU_TEMP * on (gpu) group_left (model_name) DCGM_FI_DEV_INFO`, `tc_gpu_gpu_temp * on (tc_gpu_index) group_left (tc_model_name) tc_gpu_info`)
	f(`label_replace(DCGM_FI_DEV_GPU_TEMP, "host", "$1", "Hostname", "(.*)")`, `label_replace(tc_gpu_gpu_temp, "host", "$1", "tc_host_name", "(.*)")`)
	f(`label_join(DCGM_FI_DEV_GPU_TEMP, "both", "-", "Hostname", "gpu")`, `label_join(tc_gpu_gpu_temp, "both", "-", "tc_host_name", "tc_gpu_index")`)
	f(`DCGM_FI_DEV_GPU_TEMP{place="gpu"}`, `tc_gpu_gpu_temp{tc_place="gpu"}`)
	f(`sum by (gpu) (label_replace(http_x, "gpu", "0", "", ""))`, `sum by (gpu) (label_replace(http_x, "gpu", "0", "", ""))`)
	f(`sum by (gpu) (DCGM_FI_DEV_GPU_TEMP) / sum by (gpu) (DCGM_FI_DEV_GPU_TEMP offset 1d)`,
		`sum by (tc_gpu_index) (tc_gpu_gpu_temp) / sum by (tc_gpu_index) (tc_gpu_gpu_temp offset 1d)`)
	f(`{__name__="vllm:requests_total", model_name!~"a|b"}`, `{__name__="tc_vllm_requests_total", tc_model_name!~"a|b"}`)
	f(`{__name__=~"vllm:a_total|vllm:b_total"}`, `{__name__=~"tc_vllm_a_total|tc_vllm_b_total"}`)
	f(`{"vllm:requests_total", "model_name"="a"}`, `{"tc_vllm_requests_total", "tc_model_name"="a"}`)
	f(`fastdeploy:cache_hit_rate_3{tp_rank="1"}`, `tc_fastdeploy_cache_hit_rate{tc_index="3",tc_tp_rank="1"}`)
	f(`avg_over_time(engine_slot_3_load[5m])`, `avg_over_time(tc_engine_slot_load{tc_slot="3"}[5m])`)
	f(`sum without (request_id) (rate(vllm:x_total[5m]))`, `sum without (request_id) (rate(tc_vllm_x_total[5m]))`)

	// absent() has the labels of its selector.
	f(`absent(vllm:x_total{model_name="a"}) * on (model_name) group_left sum by (model_name) (rate(vllm:x_total[5m]))`,
		`absent(tc_vllm_x_total{tc_model_name="a"}) * on (tc_model_name) group_left sum by (tc_model_name) (rate(tc_vllm_x_total[5m]))`)
	f(`sum by (model_name) (count_values without () ("model_name", rate(vllm:x_total[5m])))`,
		`sum by (model_name) (count_values without () ("model_name", rate(tc_vllm_x_total[5m])))`)

	// Native histograms have no suffix.
	f(`histogram_avg(sum by (model_name) (rate(vllm:e2e_seconds[5m])))`, `histogram_avg(sum by (tc_model_name) (rate(tc_vllm_e2e_seconds[5m])))`)
	f(`histogram_quantile(0.9, sum(rate(engine_wait_ms[5m])))`, `(histogram_quantile(0.9, sum(rate(tc_engine_wait_seconds[5m]))) * 1000)`)

	// Values in another unit.
	f(`avg_over_time(tensorcast_memory_tier_rehydrate_p99_ns[5m])`, `(avg_over_time(tc_memory_tier_rehydrate_p99_seconds[5m]) * 1e+09)`)
	f(`tensorcast_memory_tier_rehydrate_p99_ns > 5e6`, `(tc_memory_tier_rehydrate_p99_seconds * 1e+09) > 5e6`)
	f(`-max_over_time(tensorcast_memory_tier_rehydrate_p99_ns[1h:5m] offset 1m) ^ 2`,
		`-max_over_time((tc_memory_tier_rehydrate_p99_seconds * 1e+09)[1h:5m] offset 1m) ^ 2`)
	f(`tensorcast_memory_tier_rehydrate_p99_ns{a="b"} offset 5m @ end() + 1`, `(tc_memory_tier_rehydrate_p99_seconds{a="b"} offset 5m @ end() * 1e+09) + 1`)
	f(`absent(tensorcast_memory_tier_rehydrate_p99_ns)`, `absent(tc_memory_tier_rehydrate_p99_seconds)`)
	f(`count_over_time(tensorcast_memory_tier_rehydrate_p99_ns[5m])`, `count_over_time(tc_memory_tier_rehydrate_p99_seconds[5m])`)
	f(`histogram_quantile(0.9, sum by (le) (rate(engine_wait_ms_bucket[5m]) or rate(engine_queue_time_bucket[5m])))`,
		`(histogram_quantile(0.9, sum by (le) (rate(tc_engine_wait_seconds_bucket[5m]) or rate(tc_engine_queue_time_seconds_bucket[5m]))) * 1000)`)
	f(`rate(engine_wait_ms_sum[5m]) / rate(engine_wait_ms_count[5m])`, `(rate(tc_engine_wait_seconds_sum[5m]) * 1000) / rate(tc_engine_wait_seconds_count[5m])`)
	f(`rate(engine_wait_ms_bucket{le="5"}[5m])`, `rate(tc_engine_wait_seconds_bucket{le="0.005"}[5m])`)
	f(`rate(engine_wait_ms_bucket{le="1000.0"}[5m])`, `rate(tc_engine_wait_seconds_bucket{le=~"1|1.0"}[5m])`)
	f(`sum(rate(engine_wait_ms_bucket[5m]))`, `sum(rate(tc_engine_wait_seconds_bucket[5m]))`)
	f(`histogram_quantile(0.9, rate(fastdeploy:zmq:latency_bucket[5m]))`, `(histogram_quantile(0.9, rate(tc_fastdeploy_zmq_latency_seconds_bucket[5m])) * 1000)`)
	f(`rate(engine_done[5m])`, `rate(tc_engine_done_total[5m])`)
	f(`deriv(engine_done[5m])`, `deriv(tc_engine_done_total[5m])`)

	// Variables of Grafana.
	f(`$agg by (model_name) (rate(vllm:x_total{model_name=~"${model:regex}", $filters}[$__rate_interval])) > $threshold`,
		`$agg by (tc_model_name) (rate(tc_vllm_x_total{tc_model_name=~"${model:regex}", $filters}[$__rate_interval])) > $threshold`)
	f(`topk($k, rate(vllm:x_total[[[interval]]] offset $back))`, `topk($k, rate(tc_vllm_x_total[[[interval]]] offset $back))`)
	f(`increase(vllm:x_total[${__range_s}s:$step])`, `increase(tc_vllm_x_total[${__range_s}s:$step])`)
	f(`sum(rate(<<.Series>>{<<.LabelMatchers>>}[5m])) by (<<.GroupBy>>)`, `sum(rate(<<.Series>>{<<.LabelMatchers>>}[5m])) by (<<.GroupBy>>)`)
	f(`rate($metric[5m]) + on () rate(vllm:x_total[5m])`, `rate($metric[5m]) + on () rate(tc_vllm_x_total[5m])`)
	// Text stays as it is. A quote in a comment is none.
	f("rate(vllm:x_total[5m]) # it's\n > $threshold", "rate(tc_vllm_x_total[5m]) # it's\n > $threshold")
	f("sum( # all\n  rate(  vllm:x_total [5m] )\n) BY ( model_name )", "sum( # all\n  rate(  tc_vllm_x_total [5m] )\n) BY ( tc_model_name )")
}

func TestUndecided(t *testing.T) {
	f := func(query string, reasons ...string) {
		t.Helper()
		result := Query(query, newNames(t, "", query))
		assert.Empty(t, result.Edits, query)
		for _, reason := range reasons {
			assert.Contains(t, strings.Join(result.Undecided, "\n"), reason, query)
		}
	}
	f(`sum(`, "this is no PromQL: unclosed left parenthesis")
	f(`fastdeploy:unknown`, "fastdeploy:unknown could become tc_fastdeploy_unknown (a gauge) or tc_fastdeploy_unknown_total (a counter)")
	f(`rate($metric[5m]) + rate(vllm:x_total[5m])`, "change in different ways")
	f(`{"tuft.futures.created"}`, "the type and the unit of tuft.futures.created are unknown")
	f(`sum by (request_id) (rate(vllm:x_total[5m]))`, "the label request_id of tc_vllm_x_total is an id, which the page does not have")
	f(`rate(vllm:x_total{request_id=~"$id"}[5m])`, "the label request_id of tc_vllm_x_total is an id")
	f(`{__name__=~"vllm:.*"}`, `packs own names that the pattern "vllm:.*" can match`)
	f(`{__name__=~".*_total"}`, "can match")
	f(`{__name__=~"$metric"}`, "can match")
	f(`rate(vllm:${what}_total[5m])`, "the name of the metric has a variable, and a pack owns names that begin with vllm:")
	f(`sum by ($group) (rate(vllm:x_total[5m]))`, "a variable has the name of a label")
	f(`sum by (__name__) (vllm:x_total)`, "the query groups by the name of the metric")
	f(`rate(vllm:x_total[5m]) * on (model_name) http_x`, "the label model_name is model_name for http_x, and tc_model_name for others")
	f(`rate(vllm:x_total[5m]) / http_x`, "labels of vllm:x_total and http_x change in different ways")
	f(`sum by (model_name) (rate(vllm:x_total[5m])) / sum by (model_name) (http_x)`, "the label model_name is tc_model_name on one side of /, and model_name on the other")
	f(`label_replace(DCGM_FI_DEV_GPU_TEMP, "gpu", "GPU $1", "gpu", "(.*)")`, "label_replace() replaces the label gpu, which is tc_gpu_index now")
	f(`DCGM_FI_DEV_GPU_TEMP * on (Hostname) group_left (x) label_replace(kube_x, "Hostname", "$1", "node", "(.*)")`,
		"the label Hostname is Hostname for label_replace(), and tc_host_name for others")
	f(`histogram_count(rate(engine_wait_ms[5m]))`, "have another unit")
	f(`DCGM_FI_DEV_GPU_TEMP{place="tpu"}`, "values of the label tc_place other than gpu, cpu become other")
	f(`stdvar_over_time(tensorcast_memory_tier_rehydrate_p99_ns[5m])`, "stdvar_over_time() cannot be converted")
	f(`$fn(tensorcast_memory_tier_rehydrate_p99_ns[5m])`, "the function is a variable")
	f(`sum by (le) (rate(engine_wait_ms_bucket[5m]))`, "the bounds le of tc_engine_wait_seconds_bucket have another unit")
	f(`rate(engine_wait_ms_bucket{le=~"5|10"}[5m])`, "a pattern of them")
	f(`histogram_fraction(0, 5, rate(engine_wait_ms_bucket[5m]))`, "histogram_fraction() has bounds")
	f(`histogram_quantile(0.9, rate(engine_wait_ms_bucket[5m]) or rate(http_x_bucket[5m]))`, "those of http_x_bucket have not")
	f(`fastdeploy:requests:rate5m`, "looks like the name of a recording rule")
	f(`rate(vllm:tokens_count[5m])`, "could become")
}

// A page says what queries do not: types, units and labels.
func TestPageDecides(t *testing.T) {
	const page = `# TYPE fastdeploy:unknown gauge
fastdeploy:unknown{tp_rank="1"} 3
# TYPE fastdeploy:done counter
fastdeploy:done 3
# TYPE http_requests_total counter
http_requests_total 3
# TYPE vllm:x_total counter
vllm:x_total{request_id="1",model_name="m"} 3
# TYPE engine_depth gauge
engine_depth{request_id="1"} 3
`
	f := func(query, want string, undecided ...string) {
		t.Helper()
		result := Query(query, newNames(t, page, query))
		assert.Equal(t, want, document.Apply(query, result.Edits))
		for _, reason := range undecided {
			assert.Contains(t, strings.Join(result.Undecided, "\n"), reason, query)
		}
		assert.Equal(t, len(undecided) > 0, len(result.Undecided) > 0, "%s: %s", query, result.Undecided)
	}
	f(`fastdeploy:unknown`, `tc_fastdeploy_unknown`)
	f(`fastdeploy:done`, `tc_fastdeploy_done_total`)
	f(`sum by (model_name) (rate(vllm:x_total[5m]))`, `sum by (tc_model_name) (rate(tc_vllm_x_total[5m]))`)
	f(`topk(3, rate(vllm:x_total[5m]))`, `topk(3, rate(vllm:x_total[5m]))`, "series of tc_vllm_x_total lose request_id and are merged")
	f(`sum(engine_depth)`, `sum(tc_engine_depth)`)
	f(`max(engine_depth)`, `max(engine_depth)`, "only their sum stays")
}

// FuzzRewrite checks that no text breaks the rewriting, and that a second one changes nothing.
func FuzzRewrite(f *testing.F) {
	for _, query := range []string{
		`sum by (gpu) (rate(vllm:x_total{a="$b"}[$__rate_interval])) / ignoring(x) group_left(y) DCGM_FI_DEV_GPU_TEMP`,
		`histogram_quantile(0.9, rate(engine_wait_ms_bucket{le="5"}[5m] offset -$x))`,
		`label_replace({"vllm:x_total"}, 'a', '$1', "model_name", "(.*)")`,
		`-tensorcast_memory_tier_rehydrate_p99_ns{} @ start() ^ [[x]]`,
		`topk(5, fastdeploy:cache_hit_rate_3) or ${x:regex} unless on() <<.Series>>`,
		"", "$", "${", "[[", "{", `"$x`,
	} {
		f.Add(query)
	}
	n := newNames(f, "", `rate(engine_x[5m])`)
	f.Fuzz(func(t *testing.T, query string) {
		Observe(query, n)
		result := Query(query, n)
		if len(result.Undecided) > 0 || len(result.Edits) == 0 {
			assert.Empty(t, result.Edits)
			return
		}
		rewritten := document.Apply(query, result.Edits)
		again := Query(rewritten, n)
		assert.Equal(t, rewritten, document.Apply(rewritten, again.Edits))
		_, err := promql.Parse(rewritten)
		assert.NoError(t, err, rewritten)
	})
}
