// SPDX-License-Identifier: Apache-2.0

package promql

import (
	"strconv"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/names"
)

// values makes the query convert values whose unit is another one on our page.
func (a *analysis) values(s *selector) {
	if s.metric.Back == nil || s.metric.Undecided != "" {
		return
	}
	switch s.metric.Part {
	case names.Bucket:
		a.bounds(s)
	case names.Value:
		a.samples(s)
	}
}

// samples puts the factor behind the selector, or behind the function of its range.
func (a *analysis) samples(s *selector) {
	suffix := s.metric.Back.Suffix()
	if len(s.parents) == 0 {
		a.wrap(s.node, suffix)
		return
	}
	_, ranged := s.parents[len(s.parents)-1].(*parser.MatrixSelector)
	var call *parser.Call
	if ranged {
		call, _ = outer(s.parents).(*parser.Call)
	} else {
		call, _ = s.parents[len(s.parents)-1].(*parser.Call)
	}
	switch {
	case call != nil && a.text.isVariable(call), ranged && call == nil:
		a.cannot("values of %s have another unit, and the function is a variable", s.metric.Name)
	case call != nil && ignoresValues(call.Func.Name):
	case !ranged:
		a.wrap(s.node, suffix)
	case scales(call.Func.Name):
		a.wrap(call, suffix)
	default:
		a.cannot("values of %s have another unit, and %s() cannot be converted", s.metric.Name, call.Func.Name)
	}
}

// ignoresValues reports whether a function's result does not depend on the unit of values.
func ignoresValues(function string) bool {
	switch function {
	case "absent", "absent_over_time", "timestamp", "count_over_time", "present_over_time", "changes", "resets",
		"ts_of_min_over_time", "ts_of_max_over_time", "ts_of_last_over_time", "ts_of_first_over_time":
		return true
	}
	return false
}

// scales reports whether a function of ten times the values is ten times the function.
func scales(function string) bool {
	switch function {
	case "rate", "irate", "increase", "delta", "idelta", "deriv", "predict_linear", "double_exponential_smoothing",
		"avg_over_time", "min_over_time", "max_over_time", "sum_over_time", "last_over_time", "first_over_time",
		"quantile_over_time", "stddev_over_time", "mad_over_time":
		return true
	}
	return false
}

// bounds converts the bounds of buckets: those that the query has, and the result of histogram_quantile().
func (a *analysis) bounds(s *selector) {
	for _, m := range s.matchers {
		if m.label.Val == "le" {
			a.bound(s, m)
			return
		}
	}
	classic := strings.HasSuffix(s.name, "_bucket") // a native histogram has its bounds in its values
	for i := len(s.parents) - 1; i >= 0; i-- {
		switch n := s.parents[i].(type) {
		case *parser.AggregateExpr:
			if classic && !keepsLabels(n.Op) && len(a.sources(n, "le")) == 0 {
				return // the buckets are no longer apart
			}
		case *parser.Call:
			switch n.Func.Name {
			case "histogram_quantile":
				a.quantile(s, n)
				return
			case "histogram_fraction":
				a.cannot("bounds of %s have another unit, and histogram_fraction() has bounds", s.metric.Name)
				return
			}
		}
	}
	a.cannot("the bounds le of %s have another unit, and the query's result has them", s.metric.Name)
}

// quantile converts the result of histogram_quantile().
func (a *analysis) quantile(s *selector, call *parser.Call) {
	for _, other := range a.sources(call.Args[len(call.Args)-1], "le") {
		if other.metric.Back == nil || *other.metric.Back != *s.metric.Back {
			a.cannot("bounds of %s have another unit, and those of %s have not", s.metric.Name, other.name)
			return
		}
	}
	a.wrap(call, s.metric.Back.Suffix())
}

// bound converts a bound in a matcher. Depending on its version, Prometheus writes 1 or 1.0.
func (a *analysis) bound(s *selector, m matcher) {
	old, err := strconv.ParseFloat(m.matches.Value, 64)
	switch {
	case m.matches.Value == "+Inf":
		return
	case err != nil || m.operator.Typ != parser.EQL || a.covers(m.value):
		a.cannot("the bounds le of %s have another unit, and the query has a pattern of them", s.metric.Name)
		return
	}
	bound := strconv.FormatFloat(s.metric.Back.Forward(old), 'g', -1, 64)
	if _, err := strconv.Atoi(bound); err == nil {
		a.replace(int(m.operator.Pos), int(m.operator.Pos)+len(m.operator.Val), "=~")
		bound += "|" + bound + ".0"
	}
	a.replace(int(m.value.Pos)+1, int(m.value.Pos)+len(m.value.Val)-1, bound)
}
