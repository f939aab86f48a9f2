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

	"github.com/otelcol-tc/otelcol-tc/internal/paste"
	"github.com/otelcol-tc/otelcol-tc/internal/places"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
	"github.com/otelcol-tc/otelcol-tc/internal/usage"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// No result of the queries of public dashboards and rules changes if everything is merged that is free by them. The
// verdicts are those of testdata/corpus.txt.
func TestCorpus(t *testing.T) {
	sources, err := places.Read([]string{"testdata/corpus"})
	require.NoError(t, err)
	r := usage.NewReadings()
	for _, source := range sources {
		r.Add(source)
	}
	assert.Greater(t, len(r.Readers()), 2800)
	g := &generator{Rand: rand.New(rand.NewPCG(1, 2)), series: map[string][]promengine.Series{}}
	var series []*usage.Known
	for _, m := range usage.Analyse(r, nil).Metrics {
		base := strings.TrimSuffix(strings.TrimSuffix(m.Name, "_sum"), "_count")
		switch both := r.Reads(base+"_sum") && r.Reads(base+"_count") && !r.Reads(base); {
		case both && m.Name == base+"_count":
			continue
		case both && m.Name == base+"_sum":
			m.Name, m.Type = base, usage.Histogram // nothing reads its buckets
		}
		series = append(series, g.metric(m))
	}
	u := usage.Analyse(r, series)
	testfiles.Golden(t, "testdata/corpus.txt", verdicts(u))

	p := newProof(r, u.Metrics, 1e-9)
	for name, all := range g.series {
		p.add(name, all)
	}
	end := time.UnixMilli(0).Add(scrapes * scrape)
	require.NoError(t, p.record(t.Context(), time.UnixMilli(0), end, time.Minute))
	differences, evaluated, results, err := p.compare(t.Context(), end)
	require.NoError(t, err)
	for _, d := range differences {
		t.Errorf("%s: %s\nbefore %.600s\nafter  %.600s", d.Place(), d.Query, d.Before, d.After)
	}
	t.Logf("%d readers, %d evaluations, %d with a result", len(r.Readers()), evaluated, results)
	assert.Greater(t, results, evaluated*2/3, "evaluations with a result")
}

// verdicts lists what is free.
func verdicts(u *usage.Usage) string {
	var text strings.Builder
	slices.SortFunc(u.Metrics, func(a, b *usage.Metric) int { return strings.Compare(a.Name, b.Name) })
	for _, m := range u.Metrics {
		free, needed := m.Lists()
		fmt.Fprintf(&text, "%s %s %s\n  free: %s\n  needed: %s\n", m.Name, m.Type, m.Function, free, needed)
	}
	for _, undecided := range u.Undecided {
		fmt.Fprintf(&text, "not decided: %s: %s\n", undecided.Reason, paste.OneLine(undecided.Query))
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
func (g *generator) metric(m *usage.Metric) *usage.Known {
	k := &usage.Known{Name: m.Name, Type: string(m.Type), Samples: usage.Parts(m.Type, m.Name), Keys: map[string]string{"thread": "thread", "worker": "worker"}}
	pools := map[string][]string{"job": {"v0"}, "instance": {"v0", "v1"}, "thread": {"v0", "v1", "v2"}, "worker": {"v0", "v1"}}
	for _, attribute := range m.Attributes {
		if attribute.Key == usage.Bound {
			continue
		}
		pools[attribute.Label] = append(pools[attribute.Label], "v0", "v1")
		k.Keys[attribute.Label] = attribute.Label
	}
	for _, reader := range m.Readers {
		g.values(pools, m, reader.Query)
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
		for _, label := range []string{"deployment", "replica"} { // a worker of Ray is in one
			if _, ok := set[label]; ok && set["WorkerId"] != "" {
				set[label] = set["WorkerId"]
			}
		}
		if key := labels.FromMap(set).String(); !seen[key] {
			seen[key] = true
			sets = append(sets, set)
		}
	}
	for _, set := range sets {
		for _, name := range k.Samples {
			g.sample(name, m, set)
		}
	}
	k.Now, k.After = len(sets), sets.after
	return k
}

// values adds values to which the matchers of a use apply.
func (g *generator) values(pools map[string][]string, m *usage.Metric, query string) {
	open, err := promql.Open(query)
	if err != nil {
		return
	}
	read, err := promql.Parse(open)
	if err != nil {
		return
	}
	for _, s := range read.Selectors {
		for _, matcher := range s.Matchers {
			label := matcher.Name
			if !slices.Contains(m.Samples, s.Name) || slices.Contains([]string{"__name__", "le", "quantile", "instance"}, label) {
				continue
			}
			for _, value := range append(strings.Split(strings.NewReplacer(`\`, "", ".*", "a", ".+", "a", "(", "", ")", "").Replace(matcher.Value), "|"), "v0") {
				if matcher.Matches(value) && value != "" && !slices.Contains(pools[label], value) && len(pools[label]) < 6 {
					pools[label] = append(pools[label], value)
				}
			}
		}
	}
}

// sample makes the series of one name.
func (g *generator) sample(name string, m *usage.Metric, set map[string]string) {
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
			case m.Type == usage.Gauge || m.Type == usage.Info:
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
