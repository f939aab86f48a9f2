// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
	"github.com/otelcol-tc/otelcol-tc/tests/usage/pages"
)

const (
	steps    = 6
	interval = time.Minute
)

// renamed are the labels of the queries that packs rename.
var renamed = map[string]string{
	"model_name": "tc_model_name", "Hostname": "tc_host_name", "gpu": "tc_gpu_index", "device": "tc_device", "State": "tc_state",
	"tp_rank": "tc_tp_rank", "operation": "tc_operation",
}

// Each query that migrate rewrites gives, on the names of our page, the result that the old query gives on
// the old names. The samples of both pages have the same times, so that results are equal.
func TestRoundTrip(t *testing.T) {
	page := pages.Read(t, "migrate").Text
	source := servers.StartSteppedPage(t, page)
	dir := t.TempDir()
	old, rewritten := migrated(t, dir, page(0))

	pack, err := filepath.Abs("testdata/pack.yaml")
	require.NoError(t, err)
	env := source.Env()
	env["OTELCOL_TC_PACKS"] = fmt.Sprintf("[%q, builtin]", pack)
	c := collectortest.Start(t, collectortest.Options{Env: env})
	begin := time.Now().Add(-4 * time.Hour).Truncate(time.Hour)
	var samples strings.Builder
	for i := range steps {
		ours := source.Show(t, i, c)[0]
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(strings.NewReader(page(i)))
		require.NoError(t, err)
		at := begin.Add(time.Duration(i) * interval)
		servers.WriteSamples(&samples, families, at, map[string]string{"job": "runtimes", "instance": source.Address})
		for name := range families {
			delete(ours, name) // what no pack renames is there already
		}
		servers.WriteSamples(&samples, ours, at, nil)
	}
	samples.WriteString("# EOF\n")
	server := servers.StartPrometheusWith(t, dir, samples.String())

	at := begin.Add((steps-1)*interval + time.Second)
	empty := 0
	for name, query := range old {
		before, after := results(t, server, query, at, renamed), results(t, server, rewritten[name], at, nil)
		assert.NotEqual(t, query, rewritten[name], name)
		if len(before) == 0 {
			t.Logf("no result: %s: %s", name, query)
			empty++
		}
		if assert.Equal(t, slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)), "%s: %s\n%s", name, query, rewritten[name]) {
			for series, value := range before {
				assert.InEpsilon(t, 1+math.Abs(value), 1+math.Abs(after[series]), 1e-12, "%s: %s: %s\n%s", name, series, query, rewritten[name])
			}
		}
	}
	assert.Zero(t, empty, "queries without a result")
}

// migrated returns the queries of testdata/queries.yaml before and after migrate, by name.
func migrated(t *testing.T, dir, page string) (old, rewritten map[string]string) {
	t.Helper()
	text, err := os.ReadFile("testdata/queries.yaml")
	require.NoError(t, err)
	file, metrics := filepath.Join(dir, "queries.yaml"), filepath.Join(dir, "metrics.txt")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	require.NoError(t, os.WriteFile(metrics, []byte(page), 0o600))
	result := collectortest.Run(t, "migrate", "--write", "--packs", "testdata/pack.yaml,builtin", "--metrics", metrics, file)
	require.Zero(t, result.Code, result.Stderr)
	require.Contains(t, result.Stdout, " 0 things are not decided", result.Stdout)
	again := collectortest.Run(t, "migrate", "--check", "--packs", "testdata/pack.yaml,builtin", "--metrics", metrics, file)
	assert.Zero(t, again.Code, again.Stdout)
	return queries(t, "testdata/queries.yaml"), queries(t, file)
}

func queries(t *testing.T, name string) map[string]string {
	t.Helper()
	file := testfiles.Read[struct {
		Groups []struct {
			Name  string
			Rules []struct{ Record, Expr string }
		}
	}](t, name)
	all := map[string]string{}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			all[rule.Record] = rule.Expr
		}
	}
	return all
}

// results returns the values of a query's result by their labels, without those that say where series are
// from.
func results(t *testing.T, server *servers.Prometheus, query string, timestamp time.Time, names map[string]string) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for _, sample := range servers.Query[model.Vector](t, server, query, timestamp) {
		var labels []string
		for name, value := range sample.Metric {
			if name == model.MetricNameLabel || strings.HasPrefix(string(name), "otel_scope_") {
				continue
			}
			labels = append(labels, fmt.Sprintf("%s=%q", cmp.Or(names[string(name)], string(name)), value))
		}
		slices.Sort(labels)
		all[strings.Join(labels, ",")] = float64(sample.Value)
	}
	return all
}
