// SPDX-License-Identifier: Apache-2.0

package promql

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/soak"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// Each verdict of testdata/fold.yaml names why a query needs the label id of a.
func TestFold(t *testing.T) {
	merge := map[string]Merge{"increases": Increases, "sum": Sum, "max": Max, "min": Min, "other": Other}
	for _, row := range testfiles.Cases[[3]string](t, "testdata/fold.yaml") {
		require.Contains(t, merge, row[1])
		q, err := Parse(row[0])
		require.NoError(t, err)
		assert.Equal(t, row[2], q.Fold(q.Selectors[0], "id", merge[row[1]]).Reason, row)
	}
}

// A query of a counter's value is marked, one of its increase is not.
func TestFoldSteady(t *testing.T) {
	for query, want := range map[string]bool{`sum(a)`: true, `sum(sum_over_time(a[5m]))`: true, `sum(rate(a[5m]))`: false, `sum(sum_over_time(a[5m:1m]))`: true} {
		q, err := Parse(query)
		require.NoError(t, err)
		verdict := q.Fold(q.Selectors[0], "id", Increases)
		assert.Equal(t, Verdict{Label: "id", Steady: want}, verdict, query)
	}
}

// Prometheus gives each query whose result is said to stay the same result before and after series are merged.
// TC_CASES is the number of random queries.
func TestFoldKeepsResults(t *testing.T) {
	cases := soak.Count(t, "TC_CASES", 6000)
	stayed, changed, bucketless := 0, 0, 0
	first := uint64(time.Now().UnixNano())
	for i := 0; i < cases && !t.Failed(); i += queriesOfPage {
		moreStayed, moreChanged, moreBucketless := foldQueries(t, first+uint64(i))
		stayed, changed, bucketless = stayed+moreStayed, changed+moreChanged, bucketless+moreBucketless
	}
	assert.Greater(t, stayed, cases/25, "queries with a result that stays, from seed %d", first)
	assert.Greater(t, bucketless, cases/100, "queries with a result that needs no buckets, from seed %d", first)
	assert.Greater(t, changed, cases/10, "queries whose result changes, from seed %d", first)
}

// FuzzFold is TestFoldKeepsResults for any seed.
func FuzzFold(f *testing.F) {
	f.Fuzz(func(t *testing.T, seed uint64) { foldQueries(t, seed) })
}

const queriesOfPage = 50

// foldQueries checks random queries of one page, and counts those with results that stay, that
// change, and that need no buckets.
func foldQueries(t *testing.T, seed uint64) (stayed, changed, bucketless int) {
	random := rand.New(rand.NewPCG(seed, 0))
	engine := promql.NewEngine(promql.EngineOpts{
		MaxSamples: 1e7, Timeout: time.Minute, EnableAtModifier: true, EnableNegativeOffset: true, Parser: promParser,
	})
	pages := map[bool]page{false: newPage(random, false), true: newPage(random, true)}
	for range queriesOfPage {
		query := (&grammar{random}).query()
		q, err := Parse(query)
		require.NoError(t, err, query)
		buckets := slices.ContainsFunc(q.Selectors, func(s *Selector) bool { return s.Buckets() != "" && bounded.MatchString(s.Name) })
		free, both, steady := true, true, false
		if random.IntN(8) == 0 {
			query, free, steady = recorded(t, random, query, q)
			both, q.Selectors = false, nil
		}
		for _, s := range q.Selectors {
			verdict, other := q.Fold(s, "id", merges[s.Name]), q.Fold(s, "y", merges[s.Name])
			free, steady = free && verdict.Reason == "", steady || verdict.Steady
			both = both && other.Reason == ""
		}
		if steady {
			query = strings.NewReplacer("counter", "steady", "hist_bucket", "steady_bucket").Replace(query)
		}
		on := pages[!extrapolates.MatchString(query)]
		chosen := strings.HasPrefix(query, "topk") || strings.HasPrefix(query, "bottomk")
		before, after := evaluate(t, engine, on.parts, query), evaluate(t, engine, on.merged, query)
		if free && both { // each of them, so all of them
			after = evaluate(t, engine, on.alone, query)
		}
		if !buckets && bounded.MatchString(query) && !strings.Contains(query, "limitk") { // which chooses by the order of series
			last := evaluate(t, engine, on.last, query)
			if len(last) > 0 {
				bucketless++
			}
			assert.True(t, equal(before, last, chosen), "seed %d: %s\n%v\n%v", seed, query, before, last)
		}
		same := equal(before, after, chosen)
		switch {
		case !free && !same:
			changed++
		case free && !assert.True(t, same, "seed %d: %s\n%v\n%v", seed, query, before, after):
			return stayed, changed, bucketless
		case free && len(before) > 0:
			stayed++
		}
	}
	return stayed, changed, bucketless
}

// recorded returns a query of a recording rule's result in one, and whether it is free: if the rule's result remains,
// what reads that decides.
func recorded(t *testing.T, random *rand.Rand, rule string, q *Query) (query string, free, steady bool) {
	t.Helper()
	g := &grammar{random}
	reader := g.one("sum by (x) (record)", "max(record)", "min by (y) (record * 2)", "sum(record / 3)", "avg(record)", "record > 50", "max(max by (id) (-record))")
	read, err := Parse(reader)
	require.NoError(t, err)
	free = true
	for _, s := range q.Selectors {
		verdict := q.Fold(s, "id", merges[s.Name])
		if verdict.Remains {
			next := read.Fold(read.Selectors[0], "id", verdict.Merge)
			verdict = Verdict{Reason: next.Reason, Steady: verdict.Steady || next.Steady}
		}
		free, steady = free && verdict.Reason == "", steady || verdict.Steady
	}
	return strings.Replace(reader, "record", "("+rule+")", 1), free, steady
}

// bounded matches the metrics that have buckets.
var bounded = regexp.MustCompile(`_bucket|native`)

// merges are the metrics of the test. Those that begin with steady are counters that never start anew.
var merges = map[string]Merge{
	"counter": Increases, "steady": Increases, "hist_bucket": Increases, "steady_bucket": Increases, "native": Increases,
	"sum_gauge": Sum, "max_gauge": Max, "min_gauge": Min, "mean_gauge": Other,
}

// grammar makes queries.
type grammar struct{ *rand.Rand }

func (g *grammar) one(choices ...string) string { return choices[g.IntN(len(choices))] }

// query is mostly an aggregation, so that many results stay.
func (g *grammar) query() string {
	switch g.IntN(16) {
	case 0, 1:
		return g.vector(3)
	case 2: // nothing is around it, because it chooses any of equal values
		return g.one("topk", "bottomk") + g.one("(1, ", " by (y) (2, ") + g.aggregation(2) + ")"
	}
	return g.aggregation(2 + g.IntN(2))
}

func (g *grammar) selector() string {
	name := g.one("counter", "counter", "counter", "sum_gauge", "max_gauge", "min_gauge", "mean_gauge", "hist_bucket", "native")
	if name == "hist_bucket" && g.IntN(3) == 0 {
		return name + `{le="+Inf"}`
	}
	return name + g.one("", "", "", "", "", "", "", `{x="0"}`, `{x!="1"}`, `{y=~"0|1"}`, `{id="0"}`)
}

func (g *grammar) modifier() string {
	return g.one("", "", "", "", " offset 3m", " @ end()", " @ 1000")
}

// ranged is what functions of a range have: the ranges are longer than two scrapes.
func (g *grammar) ranged(depth int) string {
	if g.IntN(6) == 0 {
		return "(" + g.vector(depth-1) + ")[10m:1m]" + g.modifier()
	}
	return g.selector() + g.one("[5m]", "[7m]", "[12m]") + g.modifier()
}

func (g *grammar) vector(depth int) string {
	if depth <= 0 {
		return g.selector() + g.modifier()
	}
	switch g.IntN(20) {
	case 0, 1, 13, 14:
		return g.selector() + g.modifier()
	case 2, 3, 4, 15, 16:
		return g.one("rate", "increase", "rate", "irate", "delta", "idelta", "deriv", "last_over_time", "first_over_time") + "(" + g.ranged(depth) + ")"
	case 5, 6:
		return g.one("changes", "resets", "sum_over_time", "avg_over_time", "max_over_time", "min_over_time",
			"count_over_time", "present_over_time", "stddev_over_time", "stdvar_over_time", "mad_over_time") + "(" + g.ranged(depth) + ")"
	case 7:
		return g.one("predict_linear("+g.ranged(depth)+", 60)", "quantile_over_time(0.5, "+g.ranged(depth)+")", "absent_over_time("+g.ranged(depth)+")")
	case 8, 17:
		return g.one("abs", "ceil", "floor", "round", "exp", "sgn", "sqrt", "ln", "deg", "rad", "sort", "absent", "timestamp",
			"histogram_sum", "histogram_count", "histogram_avg") + "(" + g.vector(depth-1) + ")"
	case 9:
		return g.one("clamp("+g.vector(depth-1)+", 3, 300)", "clamp_min("+g.vector(depth-1)+", 50)", "clamp_max("+g.vector(depth-1)+", 50)",
			"histogram_quantile(0.5, "+g.vector(depth-1)+")", `label_replace(`+g.vector(depth-1)+`, "z", "$1", "x", "(.*)")`, "vector(scalar("+g.vector(depth-1)+"))")
	case 10, 18:
		scalar := g.one("2", "0.5", "-3", "(2)", "time()", "scalar(sum(sum_gauge))", "0")
		if op := g.one("*", "/", "+", "-", "^", "%", ">", "== bool", "*", "/"); g.IntN(2) == 0 {
			return "(" + g.vector(depth-1) + " " + op + " " + scalar + ")"
		} else {
			return "(" + scalar + " " + op + " " + g.vector(depth-1) + ")"
		}
	case 11:
		return "(" + g.vector(depth-1) + g.one(" + ", " / ", " and ", " or ", " unless ", " * on (x, y, id, le) ", " - ignoring (id) ") + g.vector(depth-1) + ")"
	case 12:
		return g.one("(-", "(", "(+") + "(" + g.vector(depth-1) + "))"
	}
	return g.aggregation(depth - 1)
}

func (g *grammar) aggregation(depth int) string {
	grouping := g.one("", "by (x)", "by (le, x)", "by (y)", "by (id)", "without (id)", "without (id, x)", "without (y)", "by (x, y, le)", "by (y, le)")
	inner := g.vector(depth - 1)
	if op := g.one("quantile", "limitk", "limit_ratio"); g.IntN(10) == 0 {
		return op + " " + grouping + " (" + g.one("1", "0.5") + ", " + inner + ")"
	}
	op := g.one("sum", "sum", "sum", "sum", "max", "max", "min", "min", "avg", "count", "stddev", "stdvar", "group")
	result := op + " " + grouping + " (" + inner + ")"
	if g.IntN(6) == 0 {
		return "histogram_quantile(0.9, " + result + ")"
	}
	return result
}

const (
	scrape  = 15 * time.Second
	scrapes = 160
)

// page has the series of all metrics, and the same ones without the label id, without y as well, and with their last
// buckets only.
type page struct{ parts, merged, alone, last storage.Queryable }

// extrapolates matches functions of counters that differ where a part begins or ends, by what Prometheus extrapolates.
var extrapolates = regexp.MustCompile(`\b(rate|increase)\(`)

// newPage makes series within the edges of what Fold says: the parts of a metric have the same timestamps, counters are
// far from zero, so that Prometheus does not extrapolate to it, and those whose value is read live as long as each
// other. All others begin and end within the ranges of queries, except for counters if they are to live equally long.
func newPage(random *rand.Rand, counters bool) page {
	var parts, merged, wholes []part
	for _, name := range []string{"counter", "steady", "hist_bucket", "steady_bucket", "native", "sum_gauge", "max_gauge", "min_gauge", "mean_gauge"} {
		bounds := []string{""}
		if strings.HasSuffix(name, "_bucket") {
			bounds = []string{"1", "5", "20", "+Inf"}
		}
		start := random.Int64N(int64(scrape / time.Millisecond))
		for x := range 2 {
			whole := map[string][]part{}
			for y := range 1 + random.IntN(2) {
				group := map[string][]part{}
				for id := range 1 + random.IntN(4) {
					under := make([]float64, scrapes)
					begin, end := lifetime(random)
					if name == "native" || strings.HasPrefix(name, "steady") || !counters && merges[name] == Increases {
						begin, end = 0, scrapes
					}
					for _, le := range bounds {
						values := counter(random, strings.HasPrefix(name, "steady") || name == "native")
						if strings.HasSuffix(name, "_gauge") {
							values = gauge(random)
						}
						if strings.HasSuffix(name, "_bucket") {
							for i := range values {
								values[i] += under[i]
							}
							copy(under, values)
						}
						for i := range values {
							if i < begin || i >= end {
								values[i] = gone
							}
						}
						set := labels.NewBuilder(labels.FromStrings("__name__", name, "x", fmt.Sprint(x), "y", fmt.Sprint(y)))
						set.Set("le", le)
						one := part{set.Labels(), values, start}
						group[le] = append(group[le], one)
						one.labels = set.Set("id", fmt.Sprint(id)).Labels()
						parts = append(parts, one)
					}
				}
				for _, le := range bounds {
					merged = append(merged, merge(group[le], name))
					whole[le] = append(whole[le], group[le]...)
				}
			}
			for _, le := range bounds {
				one := merge(whole[le], name)
				one.labels = labels.NewBuilder(one.labels).Del("y").Labels()
				wholes = append(wholes, one)
			}
		}
	}
	last := slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return p.labels.Has("le") && p.labels.Get("le") != "+Inf" })
	return page{stored(parts, true), stored(merged, true), stored(wholes, true), stored(last, false)}
}

// gone is the value of a series that does not live: Prometheus marks where one ends.
var gone = math.Float64frombits(value.StaleNaN)

// lifetime returns the scrapes between which a part lives. Queries are evaluated after 35 minutes, at scrape 140, and
// have ranges of 20 scrapes and more.
func lifetime(random *rand.Rand) (begin, end int) {
	begin, end = 0, scrapes
	if random.IntN(3) == 0 {
		begin = 100 + random.IntN(40)
	}
	if random.IntN(3) == 0 {
		end = max(begin+2, 110+random.IntN(35))
	}
	return begin, end
}

// counter never starts anew if it is steady. Else that happens at most once in a range.
func counter(random *rand.Rand, steady bool) []float64 {
	values, value, last := make([]float64, scrapes), 1e6+random.Float64()*1e6, 0
	for i := range values {
		value += math.Floor(random.Float64() * 100)
		if !steady && i-last > 70 && random.IntN(40) == 0 {
			value, last = 2e5, i
		}
		values[i] = value
	}
	return values
}

func gauge(random *rand.Rand) []float64 {
	values := make([]float64, scrapes)
	for i := range values {
		values[i] = random.Float64()*200 - 100
	}
	return values
}

// merge makes one series of several as the collector does. It has a sample where one of them has.
func merge(group []part, name string) part {
	merged := group[0]
	merged.values = slices.Repeat([]float64{gone}, scrapes)
	grown := 0.0
	for i := range merged.values {
		count, last := 0.0, 0.0
		for _, s := range group {
			current := s.values[i]
			if value.IsStaleNaN(current) {
				continue
			}
			switch count++; {
			case merges[name] == Increases:
				switch {
				case i == 0 || value.IsStaleNaN(s.values[i-1]):
					if i == 0 {
						grown += current
					}
				case current >= s.values[i-1]:
					grown += current - s.values[i-1]
				default: // a value below the one before is an increase as a whole
					grown += current
				}
				last = grown
			case count == 1:
				last = current
			case merges[name] == Max:
				last = max(last, current)
			case merges[name] == Min:
				last = min(last, current)
			case merges[name] == Other:
				last += (current - last) / count
			default:
				last += current
			}
		}
		if count > 0 {
			merged.values[i] = last
		}
	}
	return merged
}

// part is a series with a sample for each scrape.
type part struct {
	labels labels.Labels
	values []float64
	start  int64
}

// stored returns a storage of series. Those that are named native have histograms, with buckets or with a single one.
func stored(parts []part, buckets bool) storage.Queryable {
	all := make([]promql.Series, len(parts))
	for i, p := range parts {
		all[i].Metric = p.labels
		for j, value := range p.values {
			at := p.start + int64(j)*scrape.Milliseconds()
			if p.labels.Get("__name__") != "native" {
				all[i].Floats = append(all[i].Floats, promql.FPoint{T: at, F: value})
				continue
			}
			h := &histogram.FloatHistogram{Count: value, Sum: value * 2, PositiveSpans: []histogram.Span{{Length: 2}}, PositiveBuckets: []float64{value / 4, value * 3 / 4}}
			if !buckets {
				h.Schema, h.PositiveSpans, h.PositiveBuckets = histogram.CustomBucketsSchema, []histogram.Span{{Length: 1}}, []float64{value}
			}
			all[i].Histograms = append(all[i].Histograms, promql.HPoint{T: at, H: h})
		}
	}
	find := func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
		return &found{place: -1, all: slices.DeleteFunc(slices.Clone(all), func(one promql.Series) bool {
			return slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(one.Metric.Get(m.Name)) })
		})}
	}
	return &storage.MockQueryable{MockQuerier: &storage.MockQuerier{SelectMockFunction: find}}
}

// found are the series that a selector selects.
type found struct {
	all   []promql.Series
	place int
}

func (f *found) Next() bool                        { f.place++; return f.place < len(f.all) }
func (f *found) At() storage.Series                { return promql.NewStorageSeries(f.all[f.place]) }
func (f *found) Err() error                        { return nil }
func (f *found) Warnings() annotations.Annotations { return nil }

// evaluate returns the values of a query's result by their labels. An error is one of them.
func evaluate(t *testing.T, engine *promql.Engine, on storage.Queryable, query string) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	prepared, err := engine.NewInstantQuery(t.Context(), on, promql.NewPrometheusQueryOpts(true, time.Minute), query, time.UnixMilli(0).Add(35*time.Minute))
	require.NoError(t, err, query)
	defer prepared.Close()
	result := prepared.Exec(t.Context())
	if result.Err != nil {
		return map[string]float64{"error": 0}
	}
	vector, err := result.Vector()
	require.NoError(t, err, query)
	for _, sample := range vector {
		if sample.H == nil {
			all[sample.Metric.String()] = sample.F
			continue
		}
		all[sample.Metric.String()+" count"], all[sample.Metric.String()+" sum"] = sample.H.Count, sample.H.Sum
		for i := range sample.H.PositiveBuckets {
			all[fmt.Sprintf("%s %d", sample.Metric, i)] = sample.H.PositiveBuckets[i]
		}
	}
	return all
}

// equal reports whether results are equal but for what adding in another order changes. Of a choice among equal values
// only the values are compared.
func equal(a, b map[string]float64, chosen bool) bool {
	if chosen {
		a, b = ranked(a), ranked(b)
	}
	if len(a) != len(b) {
		return false
	}
	for name, value := range a {
		other, ok := b[name]
		if !ok || math.IsNaN(value) != math.IsNaN(other) {
			return false
		}
		if scale := 1 + math.Abs(value); value != other && math.Abs(value-other) > 1e-6*scale {
			return false
		}
	}
	return true
}

// ranked returns values by their rank.
func ranked(all map[string]float64) map[string]float64 {
	byRank := map[string]float64{}
	for i, value := range slices.Sorted(maps.Values(all)) {
		byRank[strconv.Itoa(i)] = value
	}
	return byRank
}
