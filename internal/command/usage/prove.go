// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	promengine "github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"

	"github.com/otelcol-tc/otelcol-tc/internal/paste"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
	"github.com/otelcol-tc/otelcol-tc/internal/usage"
)

// Difference is a query whose result is another one after merging.
type Difference struct {
	*usage.Reader
	At            time.Time
	Before, After string
}

// proof evaluates queries on series before and after merging.
type proof struct {
	readings      *usage.Readings
	metrics       []*usage.Metric
	engine        *promengine.Engine
	before, after memory
	limit         float64
}

// newProof returns a proof without series.
func newProof(r *usage.Readings, metrics []*usage.Metric, limit float64) *proof {
	return &proof{
		readings: r, metrics: metrics, limit: limit, before: memory{}, after: memory{},
		engine: promengine.NewEngine(promengine.EngineOpts{
			MaxSamples: 5e7, Timeout: time.Minute, EnableAtModifier: true, EnableNegativeOffset: true, Parser: promql.Parser(),
			NoStepSubqueryIntervalFn: func(int64) int64 { return time.Minute.Milliseconds() }, // Prometheus' own default
		}),
	}
}

// add adds the series of a name, and what they become.
func (p *proof) add(name string, series []promengine.Series) {
	p.before[name], p.after[name] = series, series
	i := slices.IndexFunc(p.metrics, func(m *usage.Metric) bool { return slices.Contains(m.Samples, name) })
	if i < 0 || len(p.metrics[i].Free()) == 0 {
		return
	}
	free := p.metrics[i].Free()
	if free[usage.Bound] && strings.HasSuffix(name, "_bucket") {
		series = slices.DeleteFunc(slices.Clone(series), func(one promengine.Series) bool { return one.Metric.Get(usage.Bound) != "+Inf" })
	}
	delete(free, usage.Bound)
	p.after[name] = merged(series, p.metrics[i], free)
}

// record adds the results of recording rules, and those of rules that read them.
func (p *proof) record(ctx context.Context, start, end time.Time, step time.Duration) error {
	type rule struct{ name, query string }
	var rules []rule
	read := map[rule]*promql.Query{}
	for _, reader := range p.readings.Readers() {
		one := rule{reader.Record, reader.Query}
		if one.name == "" || read[one] != nil {
			continue
		}
		if query, err := p.readings.Parse(one.query); err == nil {
			read[one], rules = query, append(rules, one)
		}
	}
	for range rules { // those that others need come first
		var later []rule
		for _, one := range rules {
			waits := func(s *promql.Selector) bool {
				return s.Name != one.name && slices.ContainsFunc(rules, func(other rule) bool { return other.name == s.Name })
			}
			if slices.ContainsFunc(read[one].Selectors, waits) {
				later = append(later, one)
				continue
			}
			for _, in := range []memory{p.before, p.after} {
				series, err := p.evaluateRule(ctx, in, one.name, one.query, start, end, step)
				if err != nil {
					return fmt.Errorf("the rule %s: %w", one.name, err)
				}
				in[one.name] = append(in[one.name], series...)
			}
		}
		if len(later) == 0 || len(later) == len(rules) {
			return nil
		}
		rules = later
	}
	return nil
}

func (p *proof) evaluateRule(ctx context.Context, in memory, name, query string, start, end time.Time, step time.Duration) ([]promengine.Series, error) {
	open, err := promql.Open(query)
	if err != nil {
		return nil, err
	}
	prepared, err := p.engine.NewRangeQuery(ctx, in.queryable(), nil, open, start, end, step)
	if err != nil {
		return nil, err
	}
	defer prepared.Close()
	result := prepared.Exec(ctx)
	if result.Err != nil {
		return nil, nil // Prometheus has no result either
	}
	matrix, err := result.Matrix()
	if err != nil {
		return nil, err
	}
	var all []promengine.Series
	for _, one := range matrix {
		one.Metric = labels.NewBuilder(one.Metric).Set("__name__", name).Labels()
		one.Floats = slices.Clone(one.Floats)
		all = append(all, one)
	}
	return all, nil
}

// compare evaluates all readers at a time. It counts those that have a result.
func (p *proof) compare(ctx context.Context, at time.Time) (differences []Difference, evaluated, results int, err error) {
	for _, reader := range p.readings.Readers() {
		if p.readings.Reads(reader.Record) {
			continue // its own result may have fewer series: the readers of the rule decide
		}
		open, err := promql.Open(reader.Query)
		if err != nil {
			continue // it is listed as not decided
		}
		before, err := p.evaluate(ctx, p.before, open, at)
		if err != nil {
			return nil, 0, 0, fmt.Errorf("%s: %w", reader.Place(), err)
		}
		after, err := p.evaluate(ctx, p.after, open, at)
		if err != nil {
			return nil, 0, 0, fmt.Errorf("%s: %w", reader.Place(), err)
		}
		evaluated++
		if len(before) > 0 {
			results++
		}
		if !p.equal(before, after, strings.Contains(open, "topk") || strings.Contains(open, "bottomk")) {
			differences = append(differences, Difference{reader, at, fmt.Sprint(before), fmt.Sprint(after)})
		}
	}
	return differences, evaluated, results, nil
}

// evaluate returns the values of a query's result by their labels. A failure is one of them.
func (p *proof) evaluate(ctx context.Context, in memory, query string, at time.Time) (map[string]float64, error) {
	prepared, err := p.engine.NewInstantQuery(ctx, in.queryable(), nil, query, at)
	if err != nil {
		return nil, err
	}
	defer prepared.Close()
	result := prepared.Exec(ctx)
	all := map[string]float64{}
	if result.Err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return map[string]float64{"the query fails": 0}, nil
	}
	switch value := result.Value.(type) {
	case promengine.Vector:
		for _, sample := range value {
			all[sample.Metric.String()] = sample.F
		}
	case promengine.Scalar:
		all[""] = value.V
	case promengine.Matrix:
		for _, series := range value {
			for _, point := range series.Floats {
				all[series.Metric.String()+strconv.FormatInt(point.T, 10)] = point.F
			}
		}
	}
	return all, nil
}

// equal reports whether results differ by at most the limit. If a query chooses among equal values, only the
// values are compared.
func (p *proof) equal(a, b map[string]float64, chosen bool) bool {
	if len(a) != len(b) {
		return false
	}
	if chosen && !maps.EqualFunc(a, b, p.near) {
		return slices.EqualFunc(slices.Sorted(maps.Values(a)), slices.Sorted(maps.Values(b)), p.near)
	}
	return maps.EqualFunc(a, b, p.near)
}

func (p *proof) near(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= p.limit*max(math.Abs(a), math.Abs(b))
}

// memory are series by their name.
type memory map[string][]promengine.Series

// queryable returns the series for an engine.
func (m memory) queryable() storage.Queryable {
	find := func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
		var from []promengine.Series
		i := slices.IndexFunc(matchers, func(m *labels.Matcher) bool { return m.Name == "__name__" && m.Type == labels.MatchEqual })
		if i >= 0 {
			from = m[matchers[i].Value]
		} else {
			for _, name := range slices.Sorted(maps.Keys(m)) {
				from = append(from, m[name]...)
			}
		}
		found := &seriesSet{place: -1}
		for _, one := range from {
			if !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(one.Metric.Get(m.Name)) }) {
				found.all = append(found.all, one)
			}
		}
		return found
	}
	return &storage.MockQueryable{MockQuerier: &storage.MockQuerier{SelectMockFunction: find}}
}

// seriesSet are the series that a selector selects.
type seriesSet struct {
	all   []promengine.Series
	place int
}

func (s *seriesSet) Next() bool                        { s.place++; return s.place < len(s.all) }
func (s *seriesSet) At() storage.Series                { return promengine.NewStorageSeries(s.all[s.place]) }
func (s *seriesSet) Err() error                        { return nil }
func (s *seriesSet) Warnings() annotations.Annotations { return nil }

// merged merges series as cardinality does: it adds up what counters grow by, and combines the newest values of gauges.
func merged(series []promengine.Series, m *usage.Metric, free map[string]bool) (all []promengine.Series) {
	groups, gone := map[string][]promengine.Series{}, slices.Collect(maps.Keys(free))
	for _, one := range series {
		one.Metric = labels.NewBuilder(one.Metric).Del(gone...).Labels()
		key := one.Metric.String()
		groups[key] = append(groups[key], one)
	}
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		all = append(all, promengine.Series{Metric: groups[key][0].Metric, Floats: mergedPoints(groups[key], m)})
	}
	return all
}

// mergedPoints has a point at each time that one of the series has.
func mergedPoints(group []promengine.Series, m *usage.Metric) (points []promengine.FPoint) {
	var times []int64
	total := 0.0
	for _, one := range group {
		for i, point := range one.Floats {
			times = append(times, point.T)
			if i == 0 {
				total += point.F
			}
		}
	}
	slices.Sort(times)
	next := make([]int, len(group)) // the first point that is later
	for _, at := range slices.Compact(times) {
		var live []float64
		for i, one := range group {
			before := next[i]
			for next[i] < len(one.Floats) && one.Floats[next[i]].T <= at {
				next[i]++
			}
			if next[i] == 0 {
				continue
			}
			last := one.Floats[next[i]-1]
			if next[i] > before && before > 0 { // a decrease is a start anew
				if grown := last.F - one.Floats[next[i]-2].F; grown >= 0 {
					total += grown
				} else {
					total += last.F
				}
			}
			if at-last.T <= spacing(one.Floats) {
				live = append(live, last.F)
			}
		}
		value := total
		switch {
		case len(live) == 0:
			continue
		case m.Function == "max":
			value = slices.Max(live)
		case m.Function == "min":
			value = slices.Min(live)
		case m.Function == "sum" || m.Type == usage.UpDownCounter:
			value = 0
			for _, one := range live {
				value += one
			}
		}
		points = append(points, promengine.FPoint{T: at, F: value})
	}
	return points
}

// spacing returns for how long a point is the newest one, in milliseconds.
func spacing(points []promengine.FPoint) int64 {
	if len(points) < 2 {
		return 0
	}
	return (points[len(points)-1].T - points[0].T) / int64(len(points)-1) * 3 / 2
}

// lookBack is how far before the first time Prometheus's series are read, besides the ranges of queries.
const lookBack = 5 * time.Minute

// steps is how often --prove evaluates within its window.
const steps = 5

// prove evaluates all readers on the series of a Prometheus server, and writes what differs.
func (o *options) prove(ctx context.Context, w io.Writer, r *usage.Readings, u *usage.Usage) (ok bool, err error) {
	p := newProof(r, u.Metrics, o.limit)
	end := time.Now()
	span := o.window + lookBack + longest(r)
	for _, name := range r.Names() {
		series, err := samples(ctx, o.prover, name, end, span)
		if err != nil {
			return false, fmt.Errorf("--prove %s: %s: %w", o.prover, name, err)
		}
		p.add(name, series)
	}
	if err := p.record(ctx, end.Add(-span), end, time.Minute); err != nil {
		return false, err
	}
	all, results := 0, 0
	var differences []Difference
	for i := range steps {
		at := end.Add(-o.window * time.Duration(i) / steps)
		more, evaluated, found, err := p.compare(ctx, at)
		if err != nil {
			return false, err
		}
		differences, all, results = append(differences, more...), all+evaluated, results+found
	}
	for _, d := range differences {
		fmt.Fprintf(w, "%s: differs at %s\n    %s\n    before %s\n    after  %s\n",
			d.Place(), d.At.UTC().Format(time.RFC3339), paste.OneLine(d.Query), paste.OneLine(d.Before), paste.OneLine(d.After))
	}
	fmt.Fprintf(w, "%d evaluations before and after merging, %d with a result, %d differ by more than %v.\n", all, results, len(differences), o.limit)
	return len(differences) == 0, nil
}

// longest returns the longest range of all queries, at most a day: older samples change nothing in the comparison.
func longest(r *usage.Readings) (most time.Duration) {
	for _, reader := range r.Readers() {
		query, err := r.Parse(reader.Query)
		if err != nil {
			continue
		}
		for _, selector := range query.Selectors {
			for _, node := range selector.Parents {
				switch n := node.(type) {
				case *parser.MatrixSelector:
					most = max(most, n.Range)
				case *parser.SubqueryExpr:
					most = max(most, n.Range)
				}
			}
		}
	}
	return min(most, 24*time.Hour)
}

func samples(ctx context.Context, server, name string, end time.Time, span time.Duration) (all []promengine.Series, err error) {
	query := fmt.Sprintf(`{__name__=%q}[%ds]`, name, int(span.Seconds()))
	answer, err := ask[result[model.Matrix]](ctx, api(server, fmt.Sprintf("query?time=%d&query=%s", end.Unix(), url.QueryEscape(query))))
	if err != nil {
		return nil, err
	}
	for _, stream := range answer.Result {
		metric := labels.NewBuilder(labels.EmptyLabels())
		for label, value := range stream.Metric {
			metric.Set(string(label), string(value))
		}
		one := promengine.Series{Metric: metric.Labels()}
		for _, sample := range stream.Values {
			one.Floats = append(one.Floats, promengine.FPoint{T: int64(sample.Timestamp), F: float64(sample.Value)})
		}
		all = append(all, one)
	}
	return all, nil
}
