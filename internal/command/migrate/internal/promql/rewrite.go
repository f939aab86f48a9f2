// SPDX-License-Identifier: Apache-2.0

package promql

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/edit"
	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/names"
)

// Result is what becomes of a query.
type Result struct {
	// Edits change the query. Without them it stays.
	Edits []edit.Edit
	// Undecided are the reasons for which the query cannot be rewritten. It stays then.
	Undecided []string
	// Uses are the names of the query that packs own.
	Uses []Use
	// Unowned is the number of names that no pack owns.
	Unowned int

	analysis *analysis
}

// Use is a metric in a query.
type Use struct {
	Old, New string
	Kept     time.Time // the first day without the old name, if packs keep it
}

// Names decides names.
type Names interface {
	Metric(name, job string) names.Metric
	Owns(beginning string) bool
	Renames(label string) bool
}

// Rewrite decides a query.
func Rewrite(query string, by Names) Result { return once(query, by, rewrite) }

// RewriteSeries decides a query that selects series and whose values do not matter, such as that of a rule of
// prometheus-adapter. Converts reports whether values of the series have another unit.
func RewriteSeries(query string, by Names) (result Result, converts bool) {
	result = once(query, by, rewriteSeries)
	if result.analysis == nil {
		return result, false
	}
	return result, slices.ContainsFunc(result.analysis.ordered, func(s *selector) bool { return s.metric.Back != nil })
}

// once decides a query unless its second decision would be another one.
func once(query string, by Names, rewrite func(string, Names) Result) Result {
	result := rewrite(query, by)
	if len(result.Edits) == 0 {
		return result
	}
	if again := rewrite(edit.Apply(query, result.Edits), by); again.analysis == nil || len(again.Edits) > 0 {
		result.Undecided = append(result.Undecided, "the packs would rename the new names again")
		result.Edits = nil
	}
	return result
}

func rewrite(query string, by Names) Result {
	a, err := analyze(query, by)
	if err != nil {
		return Result{Undecided: []string{err.Error()}}
	}
	for _, s := range a.ordered {
		a.values(s)
		a.checkLost(s)
	}
	return a.result()
}

func rewriteSeries(query string, by Names) Result {
	a, err := analyze(query, by)
	if err != nil {
		return Result{Undecided: []string{err.Error()}}
	}
	return a.result()
}

// analyze decides the names and the labels of a query.
func analyze(query string, by Names) (*analysis, error) {
	t, expr, err := parse(query)
	if err != nil {
		return nil, fmt.Errorf("this is no PromQL: %w", err)
	}
	a := &analysis{text: t, by: by, root: expr, selectors: map[*parser.VectorSelector]*selector{}}
	a.lex()
	a.visit(expr, nil)
	return a, nil
}

// result returns the edits of the original query, or why there are none.
func (a *analysis) result() Result {
	result := Result{Unowned: a.unowned, Uses: a.uses, analysis: a}
	if len(a.undecided) > 0 {
		slices.Sort(a.undecided)
		result.Undecided = slices.Compact(a.undecided)
		return result
	}
	for _, e := range edit.Sorted(a.edits) {
		result.Edits = append(result.Edits, edit.Replace(a.text.original(e.Start), a.text.original(e.End), e.Text))
	}
	return result
}

// Label returns the new name of a label of the query's result, and whether it is another one.
func (r *Result) Label(label string) (string, bool) {
	if r.analysis == nil || len(r.Edits) == 0 {
		return label, false
	}
	renamed, undecided := rename(label, r.analysis.sources(r.analysis.root, label))
	return renamed, undecided == "" && renamed != label
}

// Observe records how a query uses names.
func Observe(query string, observe func(name string, use names.Use)) {
	t, expr, err := parse(query)
	if err != nil {
		return
	}
	parser.Inspect(expr, func(node parser.Node, path []parser.Node) error {
		s, ok := node.(*parser.VectorSelector)
		if !ok || s.Name == "" {
			return nil
		}
		observe(s.Name, useOf(t, path))
		return nil
	})
}

// useOf returns what the function around a selector shows about its type.
func useOf(t *text, path []parser.Node) names.Use {
	for _, node := range path {
		if call, ok := node.(*parser.Call); ok && strings.HasPrefix(call.Func.Name, "histogram_") {
			return names.AsHistogram
		}
	}
	if len(path) < 2 {
		return 0
	}
	if _, ok := path[len(path)-1].(*parser.MatrixSelector); !ok {
		return 0
	}
	call, ok := outer(path).(*parser.Call)
	if !ok || t.isVariable(call) {
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

// outer returns the second node of a path from its end, without parentheses and steps.
func outer(path []parser.Node) parser.Node {
	for i := len(path) - 2; i >= 0; i-- {
		switch path[i].(type) {
		case *parser.ParenExpr, *parser.StepInvariantExpr:
		case parser.Expressions:
		default:
			return path[i]
		}
	}
	return nil
}

// isVariable reports whether a call's function is a variable.
func (t *text) isVariable(call *parser.Call) bool {
	start := int(call.PosRange.Start)
	return t.covered(start, start+1)
}
