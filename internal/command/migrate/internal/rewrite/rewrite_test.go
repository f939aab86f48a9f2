// SPDX-License-Identifier: Apache-2.0

package rewrite

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/names"
	"github.com/otelcol-tc/otelcol-tc/internal/places/document"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// newNames returns the decisions of the built-in packs and of testdata/pack.yaml, with the uses of queries.
func newNames(t testing.TB, page string, queries ...string) *names.Names {
	t.Helper()
	packs, err := conventions.Load(nil)
	require.NoError(t, err)
	own, err := conventions.Read("testdata/pack.yaml")
	require.NoError(t, err)
	packs = append([]*conventions.Pack{own.Pack}, packs...)
	namer := naming.New(packs, naming.Options{Prefix: "tc_", Exempt: naming.DefaultExempt})
	n := names.New(namer, packs, "", nil)
	if page != "" {
		require.NoError(t, n.Read([]byte(page)))
	}
	for _, query := range queries {
		Observe(query, n)
	}
	return n
}

// example is a query with what becomes of it.
type example struct {
	Query     string `yaml:"query"`
	Want      string `yaml:"want"`
	Undecided string `yaml:"undecided"`
}

func TestRewrite(t *testing.T) {
	for _, e := range testfiles.Cases[example](t, "testdata/rewrite.yaml") {
		result := Query(e.Query, newNames(t, "", e.Query))
		assert.Empty(t, result.Undecided, e.Query)
		assert.Equal(t, cmp.Or(e.Want, e.Query), document.Apply(e.Query, result.Edits))
	}
}

func TestUndecided(t *testing.T) {
	for _, e := range testfiles.Cases[example](t, "testdata/undecided.yaml") {
		result := Query(e.Query, newNames(t, "", e.Query))
		assert.Empty(t, result.Edits, e.Query)
		assert.Contains(t, strings.Join(result.Undecided, "\n"), e.Undecided, e.Query)
	}
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
	f(`max(engine_depth)`, `max(engine_depth)`, "max() sees each series")
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
