// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// canonicalMetrics are the metrics that all engines have under one name, in the order of the table.
var canonicalMetrics = []struct{ name, unit string }{
	{"gen_ai.server.request.duration", "histogram, s"},
	{"gen_ai.server.time_to_first_token", "histogram, s"},
	{"gen_ai.server.time_per_output_token", "histogram, s"},
	{"gen_ai.client.token.usage", "histogram, {token}"},
	{"tc_inference_requests_running", "gauge, {request}"},
	{"tc_inference_requests_waiting", "gauge, {request}"},
	{"tc_inference_kv_cache_usage_ratio", "gauge, 0 to 1"},
	{"tc_inference_prefix_cache_hits", "counter, {token}"},
	{"tc_inference_prefix_cache_queries", "counter, {token}"},
	{"tc_inference_preemptions", "counter, {preemption}"},
	{"tc_inference_tokens", "counter, {token}"},
	{"tc_inference_requests", "counter, {request}"},
}

// engineKey is the attribute by which a rule says that its copy is a canonical metric.
const engineKey = "tc.engine"

const (
	inferencePage  = "../docs/inference.md"
	missingFile    = "testdata/inference_missing.yaml"
	generatedBegin = "<!-- generated from the packs: UPDATE_GOLDEN=1 go test ./conventions -run TestInference -->\n"
	generatedEnd   = "<!-- end of what is generated -->\n"
)

// TestInference checks that docs/inference.md has what the packs copy to the canonical metrics, and the reason of
// each metric that an engine does not have. With UPDATE_GOLDEN it writes the tables.
func TestInference(t *testing.T) {
	text, err := os.ReadFile(missingFile)
	require.NoError(t, err)
	missing := map[string]map[string]string{}
	require.NoError(t, yaml.Unmarshal(text, &missing))
	engines := enginesOf(t)
	checkMissing(t, engines, missing)

	page, err := os.ReadFile(inferencePage)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(page), generatedBegin)
	require.True(t, ok, "%s: no %q", inferencePage, generatedBegin)
	_, after, ok := strings.Cut(rest, generatedEnd)
	require.True(t, ok, "%s: no %q", inferencePage, generatedEnd)
	want := before + generatedBegin + "\n" + tables(engines, missing) + generatedEnd + after
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(inferencePage, []byte(want), 0o600))
		return
	}
	assert.Equal(t, want, string(page), "stale: run it with UPDATE_GOLDEN=1")
}

// TestCanonicalUnits checks that all packs give a canonical metric one unit. Pages of several systems can be one
// context of names, in which copies with one name and two units are not one metric.
func TestCanonicalUnits(t *testing.T) {
	for _, e := range enginesOf(t) {
		for _, canonical := range canonicalMetrics {
			_, unit, _ := strings.Cut(canonical.unit, ", ")
			if unit == "0 to 1" {
				unit = "1"
			}
			for _, rule := range e.rules[canonical.name] {
				assert.Equal(t, unit, cmp.Or(rule.Convert, rule.Unit), "%s: %s", e.name, rule.Match)
			}
		}
	}
}

// engine is an engine with the rules of its canonical metrics, by their names.
type engine struct {
	name  string
	rules map[string][]AlsoRule
}

// enginesOf returns the engines of the built-in packs, in order.
func enginesOf(t *testing.T) (engines []engine) {
	t.Helper()
	packs, err := Load(nil)
	require.NoError(t, err)
	for _, pack := range packs {
		e := engine{pack.System, map[string][]AlsoRule{}}
		for _, rule := range pack.Metrics.Also {
			if rule.Set[engineKey] != "" {
				assert.Equal(t, pack.System, rule.Set[engineKey], "%s: %s", pack.System, rule.Match)
				e.rules[rule.Name] = append(e.rules[rule.Name], rule)
			}
		}
		if len(e.rules) > 0 {
			engines = append(engines, e)
		}
	}
	slices.SortFunc(engines, func(a, b engine) int { return strings.Compare(a.name, b.name) })
	return engines
}

// checkMissing checks that each cell of the table has either rules or a reason, and that no rule is for a metric
// outside of the table.
func checkMissing(t *testing.T, engines []engine, missing map[string]map[string]string) {
	t.Helper()
	var names []string
	for _, e := range engines {
		names = append(names, e.name)
		known := map[string]bool{}
		for _, m := range canonicalMetrics {
			known[m.name] = true
			reason, has := missing[e.name][m.name], len(e.rules[m.name]) > 0
			assert.True(t, has || reason != "", "%s: %s has no %s, and no reason for it", missingFile, e.name, m.name)
			assert.False(t, has && reason != "", "%s: %s has %s", missingFile, e.name, m.name)
		}
		for _, name := range slices.Sorted(maps.Keys(e.rules)) {
			assert.True(t, known[name], "%s: %s is no canonical metric", e.name, name)
		}
		for name := range missing[e.name] {
			assert.True(t, known[name], "%s: %s: %s is no canonical metric", missingFile, e.name, name)
		}
	}
	for name := range missing {
		assert.Contains(t, names, name, "%s: no engine", missingFile)
	}
}

// tables returns the table of engines and metrics, the reasons of its gaps, and the keys that labels get.
func tables(engines []engine, missing map[string]map[string]string) string {
	var b strings.Builder
	row := func(cells ...string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	heads, line := []string{"metric"}, []string{"---"}
	for _, e := range engines {
		heads, line = append(heads, e.name), append(line, "---")
	}
	row(heads...)
	row(line...)
	var reasons []string
	for _, m := range canonicalMetrics {
		cells := []string{fmt.Sprintf("`%s` (%s)", m.name, m.unit)}
		for _, e := range engines {
			if reason := missing[e.name][m.name]; reason != "" {
				if !slices.Contains(reasons, reason) {
					reasons = append(reasons, reason)
				}
				cells = append(cells, fmt.Sprintf("– [%d]", slices.Index(reasons, reason)+1))
				continue
			}
			cells = append(cells, sources(e.rules[m.name]))
		}
		row(cells...)
	}
	b.WriteString("\n")
	for i, reason := range reasons {
		fmt.Fprintf(&b, "%d. %s\n", i+1, reason)
	}
	b.WriteString("\n| engine | labels that get another key |\n| --- | --- |\n")
	for _, e := range engines {
		if labels := e.labels(); labels != "" {
			row(e.name, labels)
		}
	}
	b.WriteString("\n")
	return b.String()
}

// labels returns the labels of an engine's metrics that have another key on the copies.
func (e engine) labels() string {
	var all []string
	for _, rules := range e.rules {
		for _, rule := range rules {
			for from, to := range rule.Attributes {
				all = append(all, fmt.Sprintf("`%s` → `%s`", from, to))
			}
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

// sources returns the metrics that rules copy, with the labels that select their points.
func sources(rules []AlsoRule) string {
	var names []string
	for _, rule := range rules {
		var labels []string
		for _, key := range slices.Sorted(maps.Keys(rule.Where)) {
			labels = append(labels, fmt.Sprintf("%s=%q", key, rule.Where[key]))
		}
		name := original(rule.Match)
		if labels != nil {
			name += "{" + strings.Join(labels, ", ") + "}"
		}
		if name = "`" + name + "`"; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// optional are the parts of patterns that a page can have or not, and forms of one character. The first one of them
// is what the document shows.
var optional = strings.NewReplacer("(_total)?", "_total", "[:_]", ":", "[_:]", "_", "^", "", "$", "", `\`, "")

func original(match *regexp.Regexp) string { return optional.Replace(match.String()) }
