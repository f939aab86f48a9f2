// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/tests/clitest"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// run runs the command and returns its exit code.
func run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return clitest.Run(t, NewCommand(), args...)
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
	grafana := clitest.ServeBy(t, func(r *http.Request) string {
		assert.Equal(t, "Bearer secret", r.Header.Get("Authorization"))
		assert.Contains(t, answers, r.URL.EscapedPath())
		return answers[r.URL.EscapedPath()]
	})
	out, errs, code := run(t, "--output", "json", "--grafana", grafana, "--grafana-token", "secret")
	assert.Zero(t, code, errs)
	assert.Contains(t, out, `"metric": "grafana_total"`)
	assert.Contains(t, out, `"file": "dashboard One"`)
	assert.Contains(t, out, `"metric": "requests_total"`)
	assert.Contains(t, out, `"metric": "library_total"`)
}

// The conformance page has keys of attributes, and a bound for the series that remain.
func TestReport(t *testing.T) {
	page := clitest.Serve(t, map[string]string{"/api/v1/report": `{"metrics": [
		{"service": "s", "name": "tc.wait", "type": "histogram", "unit": "s", "attributes": [{"key": "tc.model"}, {"key": "tc.id"}]},
		{"service": "s", "name": "tc.size", "type": "updowncounter", "unit": "By", "attributes": [{"key": "tc.id"}]}],
		"explorer": {"shared": true, "metrics": [
		{"service": "s", "name": "tc.wait", "out": {"series": 90}, "buckets": 13, "attributes": [{"key": "tc.model", "without": 45}, {"key": "tc.id", "without": 2}]},
		{"service": "s", "name": "tc.size", "out": {"series": 70}, "attributes": [{"key": "tc.id", "without": 1}]}]}}`})
	rule := testfiles.Save(t, "rule.yaml", "expr: sum by (tc_model) (rate(tc_wait_seconds_count[5m])) > on () max(tc_size_bytes)\n")
	out, errs, code := run(t, "--output", "yaml", "--series", page, rule)
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
	server := clitest.ServeBy(t, func(r *http.Request) string { return answers[cmp.Or(r.FormValue("match[]"), r.URL.Path)] })
	out, errs, code := run(t, "--output", "yaml", "--series", server, testfiles.Save(t, "rule.yaml", "expr: sum(rate(wait_sum[5m]))\n"))
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
	open := testfiles.Save(t, "open.txt", "# TYPE c counter\nc_total 1\n# EOF\n")
	f("--series "+open+": the page is in OpenMetrics", "--series", open, "testdata/rules.yaml")
	f("--series testdata/rules.yaml: text format parsing error", "--series", "testdata/rules.yaml", "testdata/rules.yaml")
}

// A variable in place of a metric or an expression can be any, but for one that is a number whatever is chosen.
func TestVariableOperand(t *testing.T) {
	series := testfiles.Save(t, "page.txt", "# TYPE g gauge\ng{a=\"1\"} 1\ng{a=\"2\"} 1\n")
	f := func(needed bool, expr, variables string) {
		t.Helper()
		text := fmt.Sprintf(`{"templating": {"list": [%s]}, "panels": [{"title": "P", "targets": [{"expr": %q}, {"expr": "sum(g)"}]}]}`, variables, expr)
		file := testfiles.Save(t, "dashboard.json", text)
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
	file := testfiles.Save(t, "half.json", `{"panels": [`)
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
	file := testfiles.Save(t, "rules.yaml", rules+fmt.Sprintf("- expr: sum by (a) (r%d)\n", levels))
	series := testfiles.Save(t, "page.txt", "# TYPE r0 gauge\nr0{a=\"1\",b=\"1\"} 1\n# TYPE long_total counter\nlong_total{a=\"1\"} 1\n")
	out, errs, code := run(t, "--series", series, file)
	assert.Zero(t, code, errs)
	assert.Regexp(t, `(?m)^r0 +gauge by sum .* b +a$`, out)
	assert.Regexp(t, `(?m)^long_total +counter .* a, all others$`, out)
	assert.Equal(t, 2, strings.Count(out, "it is no PromQL: must have at most"), out)
}

// A server that answers something else is named, with what it must answer.
func TestOtherServer(t *testing.T) {
	server := clitest.ServeBy(t, func(*http.Request) string { return "<html>login</html>" })
	_, errs, code := run(t, "--series", server, "testdata/rules.yaml")
	assert.Equal(t, 2, code)
	assert.Contains(t, errs, server+`/api/v1/report: must be a report of the conformance page in JSON (got "<html>login</html>")`)
}

// Settings are YAML whatever titles and queries have.
func TestYAMLOfAnyText(t *testing.T) {
	file := testfiles.Save(t, "dashboard.json", `{"panels": [{"title": "a\u0007\u2028- b", "targets": [{"expr": "sum({__name__=~\"x.*\", a=\"\u001b[2J\"})"}]}]}`)
	out, errs, code := run(t, "--output", "yaml", "--series", "testdata/page.txt", file)
	assert.Zero(t, code, errs)
	var settings map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(out), &settings), out)
	assert.Contains(t, out, "(panel a\\a - b): not decided: ")
}

// Without metrics and attributes the lists in JSON are empty.
func TestEmptyJSON(t *testing.T) {
	out, _, code := run(t, "--output", "json", testfiles.Save(t, "rules.yaml", "expr: vector(1)\n"))
	assert.Zero(t, code)
	assert.JSONEq(t, `{"metrics": [], "live": false}`, out)
}
