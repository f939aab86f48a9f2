// SPDX-License-Identifier: Apache-2.0

package inference

import (
	"bufio"
	"fmt"
	"maps"
	"math"
	"net/http"
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
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
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
	page := namesOnPage(t, c.Prometheus)
	require.Zero(t, c.Stop(t).Code)

	metrics := c.Metrics(t)
	table := &seriesTable{}
	for _, s := range targets {
		t.Run(s.system.Name(), func(t *testing.T) {
			p := &compared{pack: packOf(t, s.system.Name()), sent: sent(s.families(t)), received: received(metrics, s.address)}
			checkNames(t, p.sent, page, s.dashboard)
			p.checkSeries(t)
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

// namesOnPage returns the names of the families on a collector's page.
func namesOnPage(t *testing.T, address string) map[string]bool {
	t.Helper()
	client := http.Client{Timeout: time.Minute} // it has the series of all systems
	response, err := client.Get("http://" + address + "/metrics")
	require.NoError(t, err)
	defer response.Body.Close()
	names := map[string]bool{}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "# TYPE "); ok {
			name, _, _ := strings.Cut(rest, " ")
			names[name] = true
		}
	}
	require.NoError(t, lines.Err())
	return names
}

// checkNames checks that all names are on the collector's page too, and those that dashboards use among them.
func checkNames(t *testing.T, sent map[string]family, page map[string]bool, dashboard []string) {
	t.Helper()
	var changed []string
	for name, f := range sent {
		if !page[name] && len(f.series) > 0 {
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

// compared is what a target sent and what came out.
type compared struct {
	pack           *conventions.Pack
	sent, received map[string]family
}

// ids returns the keys that the pack calls ids of a metric.
func (p *compared) ids(metric string) []string {
	var keys []string
	for _, rule := range p.pack.Attributes {
		if rule.IDOf(metric) {
			keys = append(keys, rule.Key)
		}
	}
	return keys
}

// checkSeries checks that each series without its ids is the sum, or the aggregate, of the series that it
// was merged from, and that there is no other.
func (p *compared) checkSeries(t *testing.T) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(p.sent)) {
		merged, ids := map[string][]sample{}, p.ids(name)
		for _, s := range p.sent[name].series {
			key := s.labels.key(ids...)
			merged[key] = append(merged[key], s)
		}
		got := p.received[name]
		if lost, other := difference(merged, got.series); lost != "" || other != "" {
			assert.Fail(t, "other series", "%s: %d in, %d out; the first that is lost is {%s}, the first that nobody sent {%s}",
				name, len(merged), len(got.series), lost, other)
			continue
		}
		for key, from := range merged {
			if p.sent[name].kind == dto.MetricType_GAUGE {
				p.checkGauge(t, name, from, got.series[key])
			} else {
				checkEqual(t, totalOf(from), got.series[key].value, fmt.Sprint(name, " ", key))
			}
		}
	}
}

// difference returns the first key that only one of two maps has, for each of them.
func difference[A, B any](a map[string]A, b map[string]B) (onlyA, onlyB string) {
	for _, key := range slices.Sorted(maps.Keys(a)) {
		if _, ok := b[key]; !ok {
			onlyA = key
			break
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[key]; !ok {
			return onlyA, key
		}
	}
	return onlyA, ""
}

func totalOf(samples []sample) value {
	sum := value{}
	for _, s := range samples {
		sum.add(s.value)
	}
	return sum
}

// checkEqual compares values. Sums of floating-point numbers depend on their order.
func checkEqual(t *testing.T, want, got value, what string) {
	t.Helper()
	assert.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)), what)
	for part, n := range want {
		assert.InDelta(t, n, got[part], 1e-9*max(1, math.Abs(n)), "%s %s", part, what)
	}
}

// checkGauge checks a gauge that was merged from others.
func (p *compared) checkGauge(t *testing.T, name string, from []sample, got sample) {
	t.Helper()
	var all []float64
	for _, s := range from {
		all = append(all, s.value[number])
	}
	total, what := totalOf(from)[number], fmt.Sprint(name, " ", got.labels)
	aggregate := p.aggregate(name)
	if len(from) > 1 {
		assert.NotEmpty(t, aggregate, "%s was merged, and its pack does not say how", what)
	}
	switch aggregate {
	case conventions.AggregateSum:
		assert.InDelta(t, total, got.value[number], 1e-9*max(1, math.Abs(total)), what)
	case conventions.AggregateMean:
		assert.InDelta(t, total/float64(len(all)), got.value[number], 1e-9*max(1, math.Abs(total)), what)
	case conventions.AggregateMin:
		assert.Equal(t, slices.Min(all), got.value[number], what)
	case conventions.AggregateMax:
		assert.Equal(t, slices.Max(all), got.value[number], what)
	default:
		assert.Contains(t, all, got.value[number], what)
	}
}

// aggregate returns how a pack merges a gauge.
func (p *compared) aggregate(name string) conventions.GaugeAggregate {
	for _, rule := range p.pack.Metrics.Gauges {
		if rule.Match.Match(name) {
			return rule.Aggregate
		}
	}
	return ""
}

// checkCopies checks that the canonical names have exactly what the metrics have that they are copied from.
func (p *compared) checkCopies(t *testing.T) {
	t.Helper()
	want := map[string]value{}
	for name, f := range p.sent {
		for _, s := range f.series {
			for _, rule := range p.copies(name, s) {
				if want[rule.Name] == nil {
					want[rule.Name] = value{}
				}
				if f.kind != dto.MetricType_GAUGE {
					want[rule.Name].add(counted(s.value, rule))
				}
			}
		}
	}
	for copied, total := range want {
		if !assert.True(t, p.received[copied].copyOf, "no copies called %s", copied) {
			continue
		}
		got := totalOf(slices.Collect(maps.Values(p.received[copied].series)))
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
	merged, originals := map[string]map[string][]sample{}, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(p.sent)) {
		f := p.sent[name]
		for _, s := range f.series {
			for _, rule := range p.copies(name, s) {
				if merged[rule.Name] == nil {
					merged[rule.Name], originals[rule.Name] = map[string][]sample{}, name
				}
				// Of gauges with nothing to keep them apart, the first by name has a copy.
				if f.kind == dto.MetricType_GAUGE && originals[rule.Name] != name {
					continue
				}
				key := p.copied(name, rule, s.labels).key()
				merged[rule.Name][key] = append(merged[rule.Name][key], s)
			}
		}
	}
	for name, series := range merged {
		got := p.received[name]
		if got.kind == dto.MetricType_GAUGE && p.aggregate(name) == "" {
			continue // what keeps them apart is the pack's choice
		}
		if lost, other := difference(series, got.series); lost != "" || other != "" {
			assert.Fail(t, "other series", "%s: %d in, %d out; the first that is lost is {%s}, the first that nobody sent {%s}",
				name, len(series), len(got.series), lost, other)
			continue
		}
		if got.kind != dto.MetricType_GAUGE {
			continue
		}
		for key, from := range series {
			p.checkGauge(t, name, from, got.series[key])
		}
	}
}

// copied returns the labels that a copy of a series has.
func (p *compared) copied(metric string, rule conventions.AlsoRule, from labels) labels {
	to := labels{}
	for key, value := range from {
		if _, dropped := rule.Where[key]; dropped {
			continue
		}
		if other, ok := rule.Attributes[key]; ok {
			key = other
		}
		to[key] = value
	}
	for i := range p.pack.Attributes {
		if attribute := &p.pack.Attributes[i]; attribute.IDOfCopy([]string{rule.Name}, []string{metric}) {
			delete(to, attribute.Key)
		}
	}
	maps.Copy(to, rule.Set)
	return to
}

// counted returns what a copy counts: how often a histogram did, or a counter's value in the copy's unit.
func counted(v value, rule conventions.AlsoRule) value {
	if _, histogram := v["count"]; histogram {
		return value{"count": v["count"]}
	}
	n := v[number]
	if conversion, ok := conventions.Convert(rule.Unit, rule.Convert); ok {
		n = conversion.Apply(n)
	}
	return value{number: n}
}

// copies returns the rules that copy a series: of those with one name the first.
func (p *compared) copies(name string, s sample) map[string]conventions.AlsoRule {
	rules := map[string]conventions.AlsoRule{}
	for _, rule := range p.pack.Metrics.Also {
		if _, decided := rules[rule.Name]; !decided && rule.Match.MatchString(name) && s.has(rule.Where) {
			rules[rule.Name] = rule
		}
	}
	return rules
}

// seriesTable says what became of each system's series.
type seriesTable struct{ rows []string }

func (table *seriesTable) add(s *target, p *compared) {
	var in, out, copies int
	for name, f := range p.sent {
		in += len(f.series)
		out += len(p.received[name].series)
	}
	for _, f := range p.received {
		if f.copyOf {
			copies += len(f.series)
		}
	}
	table.rows = append(table.rows, fmt.Sprintf("| %s | %d | %d | %d | %d | %d |", s.system.Name(), len(p.sent), in, out, copies, len(s.dashboard)))
}

const (
	beginTable = "<!-- series: UPDATE_GOLDEN=1 go test ./tests/inference -run TestPages writes this table -->\n"
	endTable   = "<!-- end of series -->\n"
	tableHead  = "| system | families | series in | series out | canonical copies | names of public dashboards, all unchanged |\n| --- | --- | --- | --- | --- | --- |\n"
)

// check compares the table with the one in docs/inference.md, if it has one.
func (table *seriesTable) check(t *testing.T) {
	t.Helper()
	slices.Sort(table.rows)
	want := tableHead + strings.Join(table.rows, "\n") + "\n"
	t.Logf("a histogram is one series here:\n%s", want)
	file := filepath.Join(collectortest.Root(t), "docs", "inference.md")
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return
	}
	require.NoError(t, err)
	before, rest, begins := strings.Cut(string(text), beginTable)
	got, after, ends := strings.Cut(rest, endTable)
	if !begins || !ends || t.Failed() {
		return
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(before+beginTable+want+endTable+after), 0o644))
		return
	}
	assert.Equal(t, want, got, "%s: UPDATE_GOLDEN=1 writes the table anew", file)
}
