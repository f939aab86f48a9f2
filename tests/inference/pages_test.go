// SPDX-License-Identifier: Apache-2.0

package inference

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/series"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

const (
	// rounds is how often each system sends. Ids change with each.
	rounds = 3
	// scrapeInterval is enough for the 22,000 series of a kubelet on a busy machine.
	scrapeInterval = 5 * time.Second
)

// TestPages scrapes the pages of all systems, while their ids change. Names and labels that are no ids
// arrive unchanged, ids do not, what was counted adds up, and the canonical copies are complete.
func TestPages(t *testing.T) {
	t.Parallel()
	targets := serveTargets(t, scenario.KeptNames())
	c := collectortest.Start(t, collectortest.Options{Env: environment(t, targets, scrapeInterval)})
	// From its second scrape on a target's new series count in full.
	awaitScrapes(t, targets)
	for range rounds {
		for _, s := range targets {
			s.next(t)
		}
		awaitScrapes(t, targets)
	}
	page := c.Scrape(t)
	require.Zero(t, c.Stop(t).Code)

	metrics := c.Metrics(t)
	table := &seriesTable{}
	for _, s := range targets {
		t.Run(s.system.Name(), func(t *testing.T) {
			p := &compared{series.Compared{Pack: packOf(t, s.system.Name()), Sent: series.Sent(slices.Values(s.families(t))), Received: series.Received(metrics, s.address)}}
			checkNames(t, p.Sent, page, s.dashboard)
			p.CheckSeries(t)
			p.checkCopies(t)
			table.add(s, p)
		})
	}
	table.check(t)
}

// dashboardNames reads the names that public dashboards, alerts, autoscalers and charts of a system use:
// one a line, comments begin with #. A system without the file has none.
func dashboardNames(t *testing.T, system string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "dashboards", system+".txt"))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	var names []string
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if name := strings.TrimSpace(line); name != "" {
			names = append(names, name)
		}
	}
	require.NotEmpty(t, names, system)
	return names
}

func packOf(t *testing.T, system string) *conventions.Pack {
	t.Helper()
	packs, err := conventions.Load([]any{system})
	require.NoError(t, err)
	return packs[0]
}

// checkNames checks that all names are on the collector's page too, and those that dashboards use among them.
func checkNames(t *testing.T, sent map[string]series.Family, page map[string]*dto.MetricFamily, dashboard []string) {
	t.Helper()
	var changed []string
	for name, f := range sent {
		if page[name] == nil && len(f.Series) > 0 {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	assert.Empty(t, changed, "names that did not arrive")
	for _, name := range dashboard {
		assert.Contains(t, sent, name, "the page does not have a name that dashboards use")
		assert.Contains(t, page, name, "a name that dashboards use")
	}
}

// compared is what a target sent and what came out, with the copies.
type compared struct{ series.Compared }

// checkCopies checks that the canonical names have exactly what the metrics have that they are copied from.
func (p *compared) checkCopies(t *testing.T) {
	t.Helper()
	want := map[string]series.Value{}
	for name, f := range p.Sent {
		for _, s := range f.Series {
			for _, rule := range p.copies(name, s) {
				if want[rule.Name] == nil {
					want[rule.Name] = series.Value{}
				}
				if f.Kind != dto.MetricType_GAUGE {
					want[rule.Name].Add(counted(s.Value, rule))
				}
			}
		}
	}
	for copied, total := range want {
		if !assert.True(t, p.Received[copied].CopyOf, "no copies called %s", copied) {
			continue
		}
		got := series.Total(slices.Collect(maps.Values(p.Received[copied].Series)))
		for part, n := range total {
			assert.InDelta(t, n, got[part], 1e-9*max(1, math.Abs(n)), "%s of %s", part, copied)
		}
	}
	p.checkMergedCopies(t)
}

// checkMergedCopies checks that copies have none of the ids of the metrics, and that gauges which the pack merges by
// the copy's name are merged so.
func (p *compared) checkMergedCopies(t *testing.T) {
	t.Helper()
	merged, originals := map[string]map[string][]series.Sample{}, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(p.Sent)) {
		f := p.Sent[name]
		for _, s := range f.Series {
			for _, rule := range p.copies(name, s) {
				if merged[rule.Name] == nil {
					merged[rule.Name], originals[rule.Name] = map[string][]series.Sample{}, name
				}
				// Of gauges with nothing to keep them apart, the first by name has a copy.
				if f.Kind == dto.MetricType_GAUGE && originals[rule.Name] != name {
					continue
				}
				key := p.copied(name, rule, s.Labels).Key()
				merged[rule.Name][key] = append(merged[rule.Name][key], s)
			}
		}
	}
	for name, all := range merged {
		got := p.Received[name]
		if got.Kind == dto.MetricType_GAUGE && p.Aggregate(name) == "" {
			continue // what keeps them apart is the pack's choice
		}
		if !series.Same(t, name, all, got.Series) || got.Kind != dto.MetricType_GAUGE {
			continue
		}
		for key, from := range all {
			p.CheckGauge(t, name, from, got.Series[key])
		}
	}
}

// copied returns the labels that a copy of a series has.
func (p *compared) copied(metric string, rule conventions.AlsoRule, from series.Labels) series.Labels {
	to := series.Labels{}
	for key, value := range from {
		if _, dropped := rule.Where[key]; dropped {
			continue
		}
		if other, ok := rule.Attributes[key]; ok {
			key = other
		}
		to[key] = value
	}
	for i := range p.Pack.Attributes {
		if attribute := &p.Pack.Attributes[i]; attribute.IDOfCopy([]string{rule.Name}, []string{metric}) {
			delete(to, attribute.Key)
		}
	}
	maps.Copy(to, rule.Set)
	return to
}

// counted returns what a copy counts: how often a histogram did, or a counter's value in the copy's unit.
func counted(v series.Value, rule conventions.AlsoRule) series.Value {
	if _, histogram := v["count"]; histogram {
		return series.Value{"count": v["count"]}
	}
	n := v[series.Number]
	if conversion, ok := conventions.Convert(rule.Unit, rule.Convert); ok {
		n = conversion.Apply(n)
	}
	return series.Value{series.Number: n}
}

// copies returns the rules that copy a series: of those with one name the first.
func (p *compared) copies(name string, s series.Sample) map[string]conventions.AlsoRule {
	rules := map[string]conventions.AlsoRule{}
	for _, rule := range p.Pack.Metrics.Also {
		if _, decided := rules[rule.Name]; !decided && rule.Match.MatchString(name) && s.Has(rule.Where) {
			rules[rule.Name] = rule
		}
	}
	return rules
}

// seriesTable says what became of each system's series.
type seriesTable struct{ rows []string }

func (table *seriesTable) add(s *target, p *compared) {
	var in, out, copies int
	for name, f := range p.Sent {
		in += len(f.Series)
		out += len(p.Received[name].Series)
	}
	for _, f := range p.Received {
		if f.CopyOf {
			copies += len(f.Series)
		}
	}
	table.rows = append(table.rows, fmt.Sprintf("| %s | %d | %d | %d | %d | %d |", s.system.Name(), len(p.Sent), in, out, copies, len(s.dashboard)))
}

const (
	beginTable = "<!-- series: UPDATE_GOLDEN=1 go test ./tests/inference -run TestPages writes this table -->\n"
	endTable   = "<!-- end of series -->\n"
	tableHead  = "| system | families | series in | series out | canonical copies | names of public dashboards, all unchanged |\n| --- | --- | --- | --- | --- | --- |\n"
)

// check compares the table with the one in docs/inference.md.
func (table *seriesTable) check(t *testing.T) {
	t.Helper()
	slices.Sort(table.rows)
	want := tableHead + strings.Join(table.rows, "\n") + "\n"
	t.Logf("a histogram is one series here:\n%s", want)
	if !t.Failed() {
		testfiles.Section(t, "../../docs/inference.md", beginTable, endTable, want)
	}
}
