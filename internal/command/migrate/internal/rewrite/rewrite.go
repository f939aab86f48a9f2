// SPDX-License-Identifier: Apache-2.0

// Package rewrite rewrites queries for the names and labels of our Prometheus page. It changes words where they are,
// so a query keeps its form. A query that cannot be rewritten as a whole stays.
package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/names"
	"github.com/otelcol-tc/otelcol-tc/internal/places/document"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
)

// Result is what becomes of a query.
type Result struct {
	// Edits change the query. Without them it stays.
	Edits []document.Edit
	// Undecided are the reasons for which the query cannot be rewritten. It stays then.
	Undecided []string
	// Renames are the new names of the query's metrics that packs own.
	Renames map[string]string
	// Unowned is the number of names that no pack owns.
	Unowned int
	// Converts reports whether values have another unit on our page.
	Converts bool

	rewriting *rewriting
}

// Query decides a query.
func Query(query string, by *names.Names) Result { return once(query, by, true) }

// Series decides a query that selects series and whose values do not matter, such as that of a rule of
// prometheus-adapter.
func Series(query string, by *names.Names) Result { return once(query, by, false) }

// once decides a query unless its second decision would be another one.
func once(query string, by *names.Names, values bool) Result {
	result := rewrite(query, by, values)
	if len(result.Edits) == 0 {
		return result
	}
	if again := rewrite(document.Apply(query, result.Edits), by, values); again.rewriting == nil || len(again.Edits) > 0 {
		result.Undecided = append(result.Undecided, "the packs would rename the new names again")
		result.Edits = nil
	}
	return result
}

// rewriting collects the edits of one query.
type rewriting struct {
	*promql.Query
	by      *names.Names
	metrics map[*promql.Selector]names.Metric
	result  Result
}

// rewrite decides selectors first, because they decide the labels of the expressions around them.
func rewrite(query string, by *names.Names, values bool) Result {
	read, err := promql.Parse(query)
	if err != nil {
		return Result{Undecided: []string{fmt.Sprintf("this is no PromQL: %v", err)}}
	}
	r := &rewriting{Query: read, by: by, metrics: map[*promql.Selector]names.Metric{}, result: Result{Renames: map[string]string{}}}
	for _, s := range read.Selectors {
		r.selector(s)
	}
	parser.Inspect(read.Expr, func(node parser.Node, _ []parser.Node) error {
		r.labels(node)
		return nil
	})
	for _, s := range read.Selectors {
		metric := r.metrics[s]
		r.result.Converts = r.result.Converts || metric.Back != nil
		if values && metric.Undecided == "" {
			r.values(s, metric)
			r.merged(s, metric)
		}
	}
	r.result.rewriting = r
	r.result.Edits = document.Sorted(r.result.Edits)
	if len(r.result.Undecided) > 0 {
		slices.Sort(r.result.Undecided)
		r.result.Undecided, r.result.Edits = slices.Compact(r.result.Undecided), nil
	}
	return r.result
}

func (r *rewriting) cannot(format string, args ...any) {
	r.result.Undecided = append(r.result.Undecided, fmt.Sprintf(format, args...))
}

// replace replaces a word, unless a variable is in it.
func (r *rewriting) replace(word promql.Word, with string) {
	if word.Variable {
		r.cannot("%s has a variable in a name", word.Value)
		return
	}
	r.result.Edits = append(r.result.Edits, document.Replace(word.Start, word.End, with))
}

// wrap puts an expression in parentheses with an operator.
func (r *rewriting) wrap(node parser.Node, suffix string) {
	start, end := r.Range(node)
	r.result.Edits = append(r.result.Edits, document.Insert(start, "("), document.Insert(end, suffix+")"))
}

// rename returns a label's new name, which must be the same for all selectors that have it.
func (r *rewriting) rename(label string, sources []*promql.Selector) (renamed, undecided string) {
	renamed = label
	for i, s := range sources {
		decided := r.metrics[s].Label(label)
		switch {
		case decided.Undecided != "":
			return label, decided.Undecided
		case i > 0 && decided.Name != renamed:
			return label, fmt.Sprintf("the label %s is %s for %s, and %s for others", label, decided.Name, s.Name, renamed)
		}
		renamed = decided.Name
	}
	return renamed, ""
}

// Has reports whether the query's result can have a label, and its name on our page.
func (r *Result) Has(label string) (renamed string, has bool) {
	if r.rewriting == nil {
		return label, true
	}
	sources := r.rewriting.Sources(r.rewriting.Expr, label)
	renamed, _ = r.rewriting.rename(label, sources)
	return renamed, len(sources) > 0
}

// Label returns the new name of a label of the query's result, and whether it is another one.
func (r *Result) Label(label string) (renamed string, changed bool) {
	if r.rewriting == nil || len(r.Edits) == 0 {
		return label, false
	}
	renamed, _ = r.Has(label)
	return renamed, renamed != label
}

// Observe records how a query uses names.
func Observe(query string, by *names.Names) {
	read, err := promql.Parse(query)
	if err != nil {
		return
	}
	for _, s := range read.Selectors {
		if s.Name != "" && !s.NameWord.Variable {
			by.Observe(s.Name, useOf(read, s))
		}
	}
}

// useOf returns what the function around a selector shows about its type.
func useOf(query *promql.Query, s *promql.Selector) names.Use {
	for _, node := range s.Parents {
		if call, ok := node.(*parser.Call); ok && strings.HasPrefix(call.Func.Name, "histogram_") {
			return names.AsHistogram
		}
	}
	call, ranged := s.Function()
	if !ranged || call == nil || query.IsVariable(call) {
		return 0
	}
	switch call.Func.Name {
	case "rate", "irate", "increase", "resets":
		return names.AsCounter
	case "delta", "idelta", "deriv", "predict_linear", "double_exponential_smoothing", "avg_over_time", "min_over_time",
		"max_over_time", "quantile_over_time", "stddev_over_time", "stdvar_over_time", "mad_over_time", "sum_over_time":
		return names.AsGauge
	}
	return 0
}
