// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

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

// The verdicts on readers of all kinds are those of testdata/want.*, in each form.
func TestGolden(t *testing.T) {
	for _, format := range []string{"table", "json", "yaml"} {
		out, errs, code := run(t, "--output", format, "--series", "testdata/page.txt", "--query-log", "testdata/query.log",
			"testdata/dashboard.json", "testdata/rules.yaml", "testdata/objects.yaml")
		assert.Zero(t, code, errs)
		testfiles.Golden(t, "testdata/want."+format, out)
	}
}

// Without live series, what queries name is known only.
func TestWithoutSeries(t *testing.T) {
	out, _, code := run(t, "testdata/rules.yaml")
	assert.Zero(t, code)
	testfiles.Golden(t, "testdata/guessed.table", out)
}

// A Grafana's dashboards and alerts are read with its token.
func TestGrafana(t *testing.T) {
	dashboard, err := os.ReadFile("testdata/dashboard.json")
	require.NoError(t, err)
	answers := map[string]string{
		"/api/search": `[{"uid": "a/b", "title": "One"}]`, "/api/dashboards/uid/a%2Fb": `{"dashboard": ` + string(dashboard) + `}`,
		"/api/library-elements":            `{"result": {"elements": [{"uid": "u", "kind": 1, "model": {"targets": [{"expr": "sum(rate(library_total[5m]))"}]}}]}}`,
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
	assert.Contains(t, out, `"metric": "library_total"`)
}

// The conformance page has keys of attributes, and a bound for the series that remain.
func TestReport(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/api/v1/report", r.URL.Path)
		_, err := w.Write([]byte(`{"metrics": [
			{"service": "s", "name": "tc.wait", "type": "histogram", "unit": "s", "attributes": [{"key": "tc.model"}, {"key": "tc.id"}]},
			{"service": "s", "name": "tc.size", "type": "updowncounter", "unit": "By", "attributes": [{"key": "tc.id"}]}],
			"explorer": {"shared": true, "metrics": [
			{"service": "s", "name": "tc.wait", "out": {"series": 90}, "buckets": 13, "attributes": [{"key": "tc.model", "without": 45}, {"key": "tc.id", "without": 2}]},
			{"service": "s", "name": "tc.size", "out": {"series": 70}, "attributes": [{"key": "tc.id", "without": 1}]}]}}`))
		assert.NoError(t, err)
	}))
	defer page.Close()
	rule := t.TempDir() + "/rule.yaml"
	require.NoError(t, os.WriteFile(rule, []byte("expr: sum by (tc_model) (rate(tc_wait_seconds_count[5m])) > on () max(tc_size_bytes)\n"), 0o600))
	out, errs, code := run(t, "--output", "yaml", "--series", page.URL, rule)
	assert.Zero(t, code, errs)
	assert.Contains(t, out, "# 1350 series become at most 6. Read by 1 panel.\n      - {metric: tc.wait, drop_attributes: [tc.id], buckets: drop}\n")
	assert.NotContains(t, out, "tc.size", "cardinality adds up what max() reads")
}

// A Prometheus has the buckets that go, though no query names them.
func TestSeriesOfServer(t *testing.T) {
	answers := map[string]string{
		"/api/v1/metadata": `{"data": {"wait": [{"type": "histogram"}]}}`,
		"/api/v1/query": `{"data": {"result": [{"metric": {"__name__": "wait_bucket"}, "value": [1, "4"]}, {"metric": {"__name__": "wait_count"}, "value": [1, "2"]},
			{"metric": {"__name__": "wait_sum"}, "value": [1, "2"]}]}}`,
		`{__name__="wait_bucket"}`: `{"data": [{"pod": "1", "le": "1"}, {"pod": "1", "le": "+Inf"}, {"pod": "2", "le": "1"}, {"pod": "2", "le": "+Inf"}]}`,
		`{__name__="wait_count"}`:  `{"data": [{"pod": "1"}, {"pod": "2"}]}`,
		`{__name__="wait_sum"}`:    `{"data": [{"pod": "1"}, {"pod": "2"}]}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[cmp.Or(r.FormValue("match[]"), r.URL.Path)]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, err := w.Write([]byte(answer))
		assert.NoError(t, err)
	}))
	defer server.Close()
	rule := t.TempDir() + "/rule.yaml"
	require.NoError(t, os.WriteFile(rule, []byte("expr: sum(rate(wait_sum[5m]))\n"), 0o600))
	out, errs, code := run(t, "--output", "yaml", "--series", server.URL, rule)
	assert.Zero(t, code, errs)
	assert.Contains(t, out, "# 8 series become 3. Read by 1 panel.\n      - {metric: wait, drop_attributes: [pod], buckets: drop}\n")
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
	open := t.TempDir() + "/open.txt"
	require.NoError(t, os.WriteFile(open, []byte("# TYPE c counter\nc_total 1\n# EOF\n"), 0o600))
	f("--series "+open+": the page is in OpenMetrics", "--series", open, "testdata/rules.yaml")
	f("--series testdata/rules.yaml: text format parsing error", "--series", "testdata/rules.yaml", "testdata/rules.yaml")
}

// A variable in place of a metric or an expression can be any, but for one that is a number whatever is chosen.
func TestVariableOperand(t *testing.T) {
	series := t.TempDir() + "/page.txt"
	require.NoError(t, os.WriteFile(series, []byte("# TYPE g gauge\ng{a=\"1\"} 1\ng{a=\"2\"} 1\n"), 0o600))
	f := func(needed bool, expr, variables string) {
		t.Helper()
		file := t.TempDir() + "/dashboard.json"
		text := fmt.Sprintf(`{"templating": {"list": [%s]}, "panels": [{"title": "P", "targets": [{"expr": %q}, {"expr": "sum(g)"}]}]}`, variables, expr)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		out, errs, code := run(t, "--output", "yaml", "--series", series, file)
		assert.Zero(t, code, errs)
		assert.Equal(t, !needed, strings.Contains(out, "- {metric: g, drop_attributes: [a]"), "%s\n%s", expr, out)
		assert.Equal(t, needed, strings.Contains(out, "# "+file+":1 (panel P): not decided: "), "%s\n%s", expr, out)
	}
	for _, expr := range []string{`$metric`, `$metric * 100`, `-$metric`, `$a / $b`, `${query}`, `[[query]]`, `sum(rate(c_total[5m])) / $other`, `sum($metric)`, `$a and $b`,
		`sum(g) $op 5`, `clamp_max($metric, 5)`, `sum(g) > $limit`} {
		f(true, expr, "")
	}
	for _, expr := range []string{`sum(g) * $__range_s`, `topk($n, sum(g))`, `clamp_max(sum(g), 2 * $n)`, `sum(sum_over_time(g[$n]))`} {
		f(false, expr, "")
	}
	for variable, needed := range map[string]bool{
		`"type": "custom", "query": "1, Two : 2.5,5m"`: false, `"type": "constant", "query": "3"`: false, `"type": "interval", "query": "auto,1m"`: false,
		`"type": "custom", "query": "1,g2"`: true, `"type": "textbox", "query": ""`: true, `"type": "query", "query": "label_values(g, __name__)"`: true,
	} {
		f(needed, `sum(g) * $n`, `{"name": "n", `+variable+`}`)
	}
	f(false, `sum(g) * 2`, `{"name": "n", "type": "textbox", "query": "$other"}`)
	f(true, `sum(g) * $n`, `{"name": "n", "type": "constant", "query": "3"}, {"name": "n", "type": "constant", "query": "x"}`)
}

// A file that cannot be read may read anything: there are no settings, and the exit code says so.
func TestUnreadable(t *testing.T) {
	file := t.TempDir() + "/half.json"
	require.NoError(t, os.WriteFile(file, []byte(`{"panels": [`), 0o600))
	for _, format := range []string{"table", "json", "yaml"} {
		out, errs, code := run(t, "--output", format, "--series", "testdata/page.txt", file, "testdata/rules.yaml", "testdata/dashboard.json")
		assert.Equal(t, 1, code, errs)
		assert.Contains(t, out, file)
		assert.Contains(t, out, "it cannot be read")
		assert.Contains(t, out, "a selector has a pattern in place of a name")
		assert.NotContains(t, out, "\n      - {metric")
	}
}

// Recording rules that each read a lower one twice, and long queries, are decided at once.
func TestEnds(t *testing.T) {
	const levels = 40
	rules := "- expr: '" + strings.Repeat("-", 20000) + "long_total'\n- expr: '" + strings.Repeat("long_total + ", 20000) + "1'\n"
	for level := range levels {
		for _, factor := range []string{"", "2 * "} {
			rules += fmt.Sprintf("- {record: 'r%d', expr: 'sum by (a, b) (%sr%d)'}\n", level+1, factor, level)
		}
	}
	file := t.TempDir() + "/rules.yaml"
	require.NoError(t, os.WriteFile(file, []byte(rules+fmt.Sprintf("- expr: sum by (a) (r%d)\n", levels)), 0o600))
	series := t.TempDir() + "/page.txt"
	require.NoError(t, os.WriteFile(series, []byte("# TYPE r0 gauge\nr0{a=\"1\",b=\"1\"} 1\n# TYPE long_total counter\nlong_total{a=\"1\"} 1\n"), 0o600))
	out, errs, code := run(t, "--series", series, file)
	assert.Zero(t, code, errs)
	assert.Regexp(t, `(?m)^r0 +gauge by sum .* b +a$`, out)
	assert.Regexp(t, `(?m)^long_total +counter .* a, all others$`, out)
	assert.Equal(t, 2, strings.Count(out, "it is no PromQL: must have at most"), out)
}

// A server that answers something else is named, with what it must answer.
func TestOtherServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write([]byte("<html>login</html>"))
		assert.NoError(t, err)
	}))
	defer server.Close()
	_, errs, code := run(t, "--series", server.URL, "testdata/rules.yaml")
	assert.Equal(t, 2, code)
	assert.Contains(t, errs, server.URL+`/api/v1/report: must be a report of the conformance page in JSON (got "<html>login</html>")`)
}

// Settings are YAML whatever titles and queries have.
func TestYAMLOfAnyText(t *testing.T) {
	file := t.TempDir() + "/dashboard.json"
	text := `{"panels": [{"title": "a\u0007\u2028- b", "targets": [{"expr": "sum({__name__=~\"x.*\", a=\"\u001b[2J\"})"}]}]}`
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	out, errs, code := run(t, "--output", "yaml", "--series", "testdata/page.txt", file)
	assert.Zero(t, code, errs)
	var settings map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(out), &settings), out)
	assert.Contains(t, out, "(panel a\\a - b): not decided: ")
}

// Without metrics and attributes the lists in JSON are empty.
func TestEmptyJSON(t *testing.T) {
	file := t.TempDir() + "/rules.yaml"
	require.NoError(t, os.WriteFile(file, []byte("expr: vector(1)\n"), 0o600))
	out, _, code := run(t, "--output", "json", file)
	assert.Zero(t, code)
	assert.JSONEq(t, `{"metrics": [], "live": false}`, out)
}
