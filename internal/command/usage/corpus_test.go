// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	promengine "github.com/prometheus/prometheus/promql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
	"github.com/otelcol-tc/otelcol-tc/internal/command/internal/places"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
)

// No result of the queries of public dashboards and rules changes if everything is merged that is free by them. The
// verdicts are those of testdata/corpus.txt.
func TestCorpus(t *testing.T) {
	sources, err := places.Read([]string{"testdata/corpus"})
	require.NoError(t, err)
	r := newReadings()
	for _, source := range sources {
		r.add(source)
	}
	assert.Greater(t, len(r.readers), 1400)
	g := &generator{Rand: rand.New(rand.NewPCG(1, 2)), series: map[string][]promengine.Series{}}
	var series []*known
	for _, m := range analyse(r, nil).Metrics {
		series = append(series, g.metric(r, m))
	}
	u := analyse(r, series)
	golden(t, "testdata/corpus.txt", verdicts(u))

	p := newProof(r, u.Metrics, 1e-9)
	for name, all := range g.series {
		p.add(name, all)
	}
	end := time.UnixMilli(0).Add(scrapes * scrape)
	require.NoError(t, p.record(t.Context(), time.UnixMilli(0), end, time.Minute))
	differences, evaluated, results, err := p.compare(t.Context(), end)
	require.NoError(t, err)
	for _, d := range differences {
		t.Errorf("%s: %s\nbefore %.600s\nafter  %.600s", d.place(), d.Query, d.Before, d.After)
	}
	t.Logf("%d readers, %d evaluations, %d with a result", len(r.readers), evaluated, results)
	assert.Greater(t, results, evaluated*2/3, "evaluations with a result")
}

// verdicts lists what is free.
func verdicts(u *Usage) string {
	var text strings.Builder
	slices.SortFunc(u.Metrics, func(a, b *Metric) int { return strings.Compare(a.Name, b.Name) })
	for _, m := range u.Metrics {
		free, needed := m.lists()
		fmt.Fprintf(&text, "%s %s %s\n  free: %s\n  needed: %s\n", m.Name, m.Type, m.Function, free, needed)
	}
	for _, undecided := range u.Undecided {
		fmt.Fprintf(&text, "not decided: %s: %s\n", undecided.Reason, cli.OneLine(undecided.Query))
	}
	return text.String()
}

// generator makes series that the queries select.
type generator struct {
	*rand.Rand
	series map[string][]promengine.Series
}

const (
	scrape  = 15 * time.Second
	scrapes = 160
)

// metric makes the series of a metric, with the labels that queries have and with others that none has.
func (g *generator) metric(r *readings, m *Metric) *known {
	k := &known{name: m.Name, typeName: string(m.Type), samples: parts(m.Type, m.Name), keys: map[string]string{"thread": "thread", "worker": "worker"}}
	pools := map[string][]string{"job": {"v0"}, "instance": {"v0", "v1"}, "thread": {"v0", "v1", "v2"}, "worker": {"v0", "v1"}}
	for _, attribute := range m.Attributes {
		pools[attribute.Label] = append(pools[attribute.Label], "v0", "v1")
		k.keys[attribute.Label] = attribute.Label
	}
	for _, name := range m.samples {
		for _, u := range r.uses[name] {
			g.values(pools, u)
		}
	}
	var sets labelSets
	seen := map[string]bool{}
	for range 20 {
		set := map[string]string{}
		for _, label := range slices.Sorted(maps.Keys(pools)) {
			set[label] = pools[label][g.IntN(len(pools[label]))]
		}
		if len(sets) > 0 && g.IntN(3) > 0 { // one that differs in one label
			set = maps.Clone(sets[g.IntN(len(sets))])
			label := slices.Sorted(maps.Keys(pools))[g.IntN(len(pools))]
			set[label] = pools[label][g.IntN(len(pools[label]))]
		}
		if key := labels.FromMap(set).String(); !seen[key] {
			seen[key] = true
			sets = append(sets, set)
		}
	}
	for _, set := range sets {
		for _, name := range k.samples {
			g.sample(name, m, set)
		}
	}
	k.now, k.after = len(sets), sets.after
	return k
}

// values adds values to which the matchers of a use apply.
func (g *generator) values(pools map[string][]string, u *use) {
	open, err := promql.Open(u.Query)
	if err != nil {
		return
	}
	read, err := promql.Parse(open)
	if err != nil {
		return
	}
	for _, s := range read.Selectors {
		for _, m := range s.Matchers {
			if s.Name != u.selector.Name || own[m.Name] && m.Name != "job" {
				continue
			}
			for _, value := range append(strings.Split(strings.NewReplacer(`\`, "", ".*", "a", ".+", "a", "(", "", ")", "").Replace(m.Value), "|"), "v0") {
				if m.Matches(value) && value != "" && !slices.Contains(pools[m.Name], value) && len(pools[m.Name]) < 6 {
					pools[m.Name] = append(pools[m.Name], value)
				}
			}
		}
	}
}

// sample makes the series of one name.
func (g *generator) sample(name string, m *Metric, set map[string]string) {
	bounds := []string{""}
	if strings.HasSuffix(name, "_bucket") {
		bounds = []string{"0.1", "1", "10", "+Inf"}
	}
	under := make([]float64, scrapes)
	for _, le := range bounds {
		one := promengine.Series{Metric: labels.NewBuilder(labels.FromMap(set)).Set("__name__", name).Set("le", le).Labels()}
		value, last := 1e6+float64(g.IntN(1e6)), 0
		for i := range scrapes {
			switch {
			case m.Type == Gauge || m.Type == Info:
				value = []float64{0, 1, 1, 2, 50 * g.Float64()}[g.IntN(5)]
			case i-last > 90 && le == "" && g.IntN(60) == 0: // a start anew
				value, last = 2e5, i
			default:
				value += float64(g.IntN(100))
			}
			under[i] += value
			point := value
			if le != "" {
				point = under[i]
			}
			one.Floats = append(one.Floats, promengine.FPoint{T: int64(i) * scrape.Milliseconds(), F: point})
		}
		g.series[name] = append(g.series[name], one)
	}
}
