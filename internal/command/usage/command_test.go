// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"bytes"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
)

var update = flag.Bool("update", false, "write the golden files anew")

// run runs the command and returns its exit code.
func run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := NewCommand()
	var out, errs bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SetArgs(append([]string{}, args...))
	err := cmd.ExecuteContext(t.Context())
	if exit := cli.Exit(0); errors.As(err, &exit) {
		return out.String(), errs.String(), exit.ExitCode()
	}
	require.NoError(t, err)
	return out.String(), errs.String(), 0
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o600))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// The verdicts on readers of all kinds are those of testdata/want.*, in each form.
func TestGolden(t *testing.T) {
	for _, format := range []string{"table", "json", "yaml"} {
		out, errs, code := run(t, "--output", format, "--series", "testdata/page.txt", "--query-log", "testdata/query.log",
			"testdata/dashboard.json", "testdata/rules.yaml", "testdata/objects.yaml")
		assert.Zero(t, code, errs)
		golden(t, "testdata/want."+format, out)
	}
}

// Without live series, what queries name is known only.
func TestWithoutSeries(t *testing.T) {
	out, _, code := run(t, "testdata/rules.yaml")
	assert.Zero(t, code)
	golden(t, "testdata/guessed.table", out)
}

// A Grafana's dashboards and alerts are read with its token.
func TestGrafana(t *testing.T) {
	dashboard, err := os.ReadFile("testdata/dashboard.json")
	require.NoError(t, err)
	answers := map[string]string{
		"/api/search": `[{"uid": "a/b", "title": "One"}]`, "/api/dashboards/uid/a%2Fb": `{"dashboard": ` + string(dashboard) + `}`,
		"/api/v1/provisioning/alert-rules": `[{"title": "A", "data": [{"model": {"expr": "sum(rate(grafana_total[5m]))"}}]}]`,
	}
	grafana := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer secret", r.Header.Get("Authorization"))
		answer, ok := answers[r.URL.EscapedPath()]
		assert.True(t, ok, r.URL)
		_, err := w.Write([]byte(answer))
		assert.NoError(t, err)
	}))
	defer grafana.Close()
	out, errs, code := run(t, "--output", "json", "--grafana", grafana.URL, "--grafana-token", "secret")
	assert.Zero(t, code, errs)
	assert.Contains(t, out, `"metric": "grafana_total"`)
	assert.Contains(t, out, `"file": "dashboard One"`)
	assert.Contains(t, out, `"metric": "requests_total"`)
}

// The conformance page has keys of attributes, and a bound for the series that remain.
func TestReport(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/api/v1/report", r.URL.Path)
		_, err := w.Write([]byte(`{"metrics": [
			{"service": "s", "name": "tc.wait", "type": "histogram", "unit": "s", "attributes": [{"key": "tc.model"}, {"key": "tc.id"}]},
			{"service": "s", "name": "tc.size", "type": "updowncounter", "unit": "By", "attributes": [{"key": "tc.id"}]}],
			"explorer": {"shared": true, "metrics": [
			{"service": "s", "name": "tc.wait", "out": {"series": 90}, "attributes": [{"key": "tc.model", "without": 45}, {"key": "tc.id", "without": 2}]},
			{"service": "s", "name": "tc.size", "out": {"series": 70}, "attributes": [{"key": "tc.id", "without": 1}]}]}}`))
		assert.NoError(t, err)
	}))
	defer page.Close()
	rule := t.TempDir() + "/rule.yaml"
	require.NoError(t, os.WriteFile(rule, []byte("expr: sum by (tc_model) (rate(tc_wait_seconds_count[5m])) > on () max(tc_size_bytes)\n"), 0o600))
	out, errs, code := run(t, "--output", "yaml", "--series", page.URL, rule)
	assert.Zero(t, code, errs)
	assert.Contains(t, out, "# 90 series become at most 2. Read by 1 panel.\n      - {metric: tc.wait, drop_attributes: [tc.id]}\n")
	assert.NotContains(t, out, "tc.size", "cardinality adds up what max() reads")
}

func TestErrors(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		_, errs, code := run(t, args...)
		assert.Equal(t, 2, code)
		assert.Contains(t, errs, want)
	}
	f("no readers: name dashboards")
	f(`--output: must be one of table, json or yaml (got "xml")`, "--output", "xml", "testdata")
	f("--output yaml: needs --series", "--output", "yaml", "testdata")
	f("absent.json", "absent.json")
	f("--query-log testdata/rules.yaml: line 1: must be a line of Prometheus' query log", "--query-log", "testdata/rules.yaml")
	f("--series testdata/rules.yaml: text format parsing error", "--series", "testdata/rules.yaml", "testdata/rules.yaml")
}
