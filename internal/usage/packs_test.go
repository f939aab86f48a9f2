// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/internal/places"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
	"github.com/otelcol-tc/otelcol-tc/tests/usage/pages"
)

// No public query needs an attribute that a built-in pack removes from a metric, but for those that the pack names with
// the reason: "# Needed by ray_tasks: …" above the attribute's rule.
func TestPacks(t *testing.T) {
	sources, err := places.Read([]string{"../command/usage/testdata/corpus"})
	require.NoError(t, err)
	r := NewReadings()
	for _, source := range sources {
		r.Add(source)
	}
	series, labels := onPages(t)
	u := Analyse(r, series)
	a := &analysis{r, map[remaining]string{}}
	packs, err := conventions.Load([]any{conventions.Builtins})
	require.NoError(t, err)
	folds := 0
	for _, pack := range packs {
		excepted := exceptions(t, pack.System)
		for _, rule := range pack.Attributes {
			used := map[string]bool{}
			for _, m := range u.Metrics {
				label := promql.LabelName(rule.Key)
				has := labels[m.Name][label] || labels[m.Name] == nil && (rule.IDSeen == nil || glob.List(rule.IDSeen).Match(m.Name))
				if !has || !glob.List(pack.Owns.Metrics).Match(m.Name) || !rule.IDOf(m.Name) {
					continue
				}
				folds++
				reasons, _ := a.reasons(m, label, rule.Key, mergeOf(pack, m))
				if len(reasons) == 0 {
					continue
				}
				i := slices.IndexFunc(excepted[rule.Key], func(g glob.Glob) bool { return g.Match(m.Name) })
				if i >= 0 {
					used[excepted[rule.Key][i].String()] = true
					continue
				}
				t.Errorf("%s: %s of %s (%s) is removed: %v", pack.System, rule.Key, m.Name, m.Type, slices.Sorted(maps.Keys(reasons)))
			}
			for _, g := range excepted[rule.Key] {
				assert.True(t, used[g.String()], "%s: %s: no query needs %v", pack.System, rule.Key, g)
			}
		}
	}
	assert.Greater(t, folds, 100)
	t.Logf("%d attributes of metrics that public queries read", folds)
}

// labelWithValue matches a label that is not empty.
var labelWithValue = regexp.MustCompile(`(\w+)="[^"]`)

// onPages returns the metrics of the pages of systems, and the labels of each.
func onPages(t *testing.T) (all []*Known, labels map[string]map[string]bool) {
	t.Helper()
	labels = map[string]map[string]bool{}
	for _, system := range []string{"ray", "vllm", "sglang", "triton", "dcgm", "cadvisor"} {
		for _, group := range pages.Read(t, system) {
			for _, name := range group.Names {
				if labels[name] == nil {
					labels[name] = map[string]bool{}
					all = append(all, &Known{Name: name, Type: group.Type, Samples: Parts(Type(group.Type), name), After: func(map[string]bool) int { return 0 }})
				}
				for _, found := range labelWithValue.FindAllStringSubmatch(strings.Join(group.Series, " "), -1) {
					labels[name][found[1]] = true
				}
			}
		}
	}
	return all, labels
}

// mergeOf returns how the series of a metric become one without an id.
func mergeOf(pack *conventions.Pack, m *Metric) promql.Merge {
	if m.Type == Counter || m.Type == Histogram {
		return promql.Increases
	}
	for _, rule := range pack.Metrics.Gauges {
		if !rule.Match.Match(m.Name) {
			continue
		}
		switch rule.Aggregate {
		case conventions.AggregateSum:
			return promql.Sum
		case conventions.AggregateMax:
			return promql.Max
		case conventions.AggregateMin:
			return promql.Min
		}
		break
	}
	return promql.Other
}

// needed matches the names of metrics that lose an attribute although a query needs it.
var needed = regexp.MustCompile(`(?m)^# Needed by (.+?): \S`)

// exceptions returns the metrics that a pack names in the comments above the rules of its attributes, by their keys.
func exceptions(t *testing.T, system string) map[string][]glob.Glob {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "conventions", system+".yaml"))
	require.NoError(t, err)
	var pack struct {
		Attributes []yaml.Node `yaml:"attributes"`
	}
	require.NoError(t, yaml.Unmarshal(text, &pack))
	all := map[string][]glob.Glob{}
	for _, node := range pack.Attributes {
		var rule struct {
			Key string `yaml:"key"`
		}
		require.NoError(t, node.Decode(&rule))
		for _, found := range needed.FindAllStringSubmatch(node.HeadComment, -1) {
			for _, name := range strings.Split(found[1], ", ") {
				all[rule.Key] = append(all[rule.Key], glob.New(name))
			}
		}
	}
	return all
}
