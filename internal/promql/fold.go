// SPDX-License-Identifier: Apache-2.0

package promql

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/prometheus/prometheus/promql/parser"
)

// Merge is how the values of several series become those of one.
type Merge uint8

// The merges. Sets of them are what a function commutes with.
const (
	// Increases add up: counters and histograms.
	Increases Merge = 1 << iota
	// Sum, Max and Min are of the gauges' values.
	Sum
	Max
	Min
	// Other is a merge with which nothing commutes, such as a mean or the newest value.
	Other Merge = 0

	linear  = Increases | Sum
	ordered = Max | Min
)

// commuting are the functions of merged series that are the merged functions of the series. The parts of a merged
// series have the same timestamps, and begin and end when they will. All functions that are not here see the parts.
//
// Of functions of a range only these stay. A part that has ended keeps its last value, its mean and its slope for as
// long as the range has a sample of it, but the merged series has gone on without it. Each sample counts for the rest:
// the sum of all samples is that of the parts' sums, and the largest one is the largest of the parts' largest. What
// counters grow by is exact too: cardinality adds each part's growth, and a part that begins or ends adds none.
var commuting = map[string]Merge{
	"rate": Increases, "increase": Increases,
	"sum_over_time": linear, "max_over_time": Max, "min_over_time": Min,
	"deg": linear | ordered, "rad": linear | ordered, "histogram_sum": linear, "histogram_count": linear,
	"ceil": ordered, "floor": ordered, "round": ordered, "exp": ordered, "sgn": ordered,
	"clamp": ordered, "clamp_min": ordered, "clamp_max": ordered,
}

// Verdict is what becomes of a query if the series of a metric that differ in nothing but a label are merged.
type Verdict struct {
	// Label is the label that is gone.
	Label string
	// Reason is why the query has another result. It is empty if the result stays.
	Reason string
	// Steady reports whether the result stays only as long as no part of a counter ends or starts anew, because the query
	// has the counter's value and not its increase.
	Steady bool
	// Remains reports whether the only reason is that no aggregation removes the label. Results then become one by Merge,
	// so those who read the result of a recording rule decide.
	Remains bool
	Merge   Merge
}

// Fold returns what a query's result becomes if the series of a selector's metric lose a label. Of several labels,
// each has a verdict of its own.
//
// It goes outwards from the selector, through expressions that commute with the merge. It ends at an aggregation that
// commutes and removes the label: the query above sees equal series. At the edges of a range, and where a part begins
// or ends, Prometheus extrapolates the parts and the merged series differently.
func (q *Query) Fold(s *Selector, label string, merge Merge) Verdict {
	f := &folding{Query: q, label: label, merge: merge}
	reason := f.selector(s)
	for i := len(s.Parents) - 1; i >= 0 && reason == "" && !f.removed; i-- {
		inner := parser.Node(s.Node)
		if i+1 < len(s.Parents) {
			inner = s.Parents[i+1]
		}
		reason = f.outwards(s.Parents[i], inner)
	}
	remains := reason == "" && !f.removed
	switch {
	case remains:
		reason = cmp.Or(f.grouped, "the result has one value for each series")
	case reason == "" && slices.ContainsFunc(s.Parents, isLimitK):
		reason = "limitk() chooses by the order of series"
	}
	verdict := Verdict{Label: label, Reason: reason, Steady: f.steady, Remains: remains}
	if remains {
		verdict.Merge = f.merge
	}
	return verdict
}

func isLimitK(node parser.Node) bool {
	n, ok := node.(*parser.AggregateExpr)
	return ok && n.Op == parser.LIMITK
}

// folding is the relation between the series of an expression and the merged ones.
type folding struct {
	*Query
	label   string
	merge   Merge
	steady  bool
	removed bool   // no result has the label anymore
	grouped string // how an aggregation names the label
}

// selector returns why a selector needs the label.
func (f *folding) selector(s *Selector) string {
	if s.Name == "" || s.NameWord.Variable {
		return "the selector has a pattern in place of a name"
	}
	for _, m := range s.Matchers {
		switch {
		case m.Label.Value == f.label:
			return fmt.Sprintf("the selector asks for %s", f.label)
		case m.Label.Variable:
			return "a variable is a matcher of the selector"
		}
	}
	if s.Node.Anchored || s.Node.Smoothed {
		return "the range has values between samples"
	}
	return ""
}

// outwards goes to the expression around another one, and returns why that needs the label.
func (f *folding) outwards(node, inner parser.Node) string {
	switch n := node.(type) {
	case *parser.ParenExpr, *parser.StepInvariantExpr, *parser.MatrixSelector:
		return ""
	case *parser.SubqueryExpr: // its steps can miss what a part counts until it starts anew
		f.level()
		return ""
	case *parser.UnaryExpr:
		if n.Op == parser.SUB {
			f.negate()
		}
		return ""
	case *parser.AggregateExpr:
		return f.aggregate(n)
	case *parser.Call:
		return f.call(n)
	case *parser.BinaryExpr:
		return f.binary(n, inner)
	}
	return "its form is unknown"
}

// negate exchanges the largest value and the smallest one.
func (f *folding) negate() {
	f.level()
	if f.merge&ordered != 0 {
		f.merge ^= ordered
	}
}

// level takes a counter for its value: the values of its parts add up.
func (f *folding) level() {
	if f.merge == Increases {
		f.merge, f.steady = Sum, true
	}
}

func (f *folding) call(n *parser.Call) string {
	switch {
	case f.IsVariable(n):
		return "the function is a variable"
	case isAbsent(n): // merging leaves at least one series
		f.removed = true
		return ""
	case f.merge&commuting[n.Func.Name] == 0:
		return fmt.Sprintf("%s() sees each series", n.Func.Name)
	case commuting[n.Func.Name] == Increases:
		f.merge = Sum
	}
	f.level()
	return ""
}

func (f *folding) aggregate(n *parser.AggregateExpr) string {
	f.level()
	operators := map[parser.ItemType]Merge{parser.SUM: Sum, parser.MAX: Max, parser.MIN: Min}
	named := slices.Contains(n.Grouping, f.label)
	switch {
	case f.IsVariable(n):
		return "the operator is a variable"
	case f.merge&operators[n.Op] == 0:
		return fmt.Sprintf("%s() sees each series", n.Op)
	case slices.ContainsFunc(f.Grouping(n), func(w Word) bool { return w.Variable }):
		return "a variable is a label of the grouping"
	case named && !n.Without:
		f.grouped = cmp.Or(f.grouped, fmt.Sprintf("%s() groups by %s", n.Op, f.label))
	}
	f.removed = named == n.Without
	return ""
}

func (f *folding) binary(n *parser.BinaryExpr, inner parser.Node) string {
	other, right := n.RHS, inner == parser.Node(n.RHS)
	if right {
		other = n.LHS
	}
	start, end := other.PositionRange().Start, other.PositionRange().End
	switch {
	case n.Op.IsComparisonOperator():
		return fmt.Sprintf("%s compares each series", n.Op)
	case other.Type() != parser.ValueTypeScalar:
		return fmt.Sprintf("%s matches each series with another one", n.Op)
	case f.text.covered(int(start), int(end)):
		return fmt.Sprintf("a variable is an operand of %s", n.Op)
	}
	f.level()
	switch {
	case n.Op == parser.MUL, n.Op == parser.DIV && !right:
		factor, ok := constant(other)
		finite := ok && !math.IsNaN(factor) && !math.IsInf(factor, 0) && !(n.Op == parser.DIV && factor == 0)
		if finite && (f.merge == Sum || f.merge&ordered != 0 && factor > 0) {
			return ""
		}
	case (n.Op == parser.ADD || n.Op == parser.SUB) && f.merge&ordered != 0:
		if n.Op == parser.SUB && right {
			f.negate()
		}
		return ""
	}
	return fmt.Sprintf("%s sees each series", n.Op)
}

// constant returns the value of a number, also in brackets, with a sign, or as a product or quotient of numbers.
// Only of these it is known that they are not infinite: positive and negative series, each times infinity, add up
// to NaN.
func constant(e parser.Expr) (float64, bool) {
	switch e := e.(type) {
	case *parser.NumberLiteral:
		return e.Val, true
	case *parser.ParenExpr:
		return constant(e.Expr)
	case *parser.UnaryExpr:
		value, ok := constant(e.Expr)
		if e.Op == parser.SUB {
			value = -value
		}
		return value, ok
	case *parser.BinaryExpr:
		left, ok := constant(e.LHS)
		right, also := constant(e.RHS)
		switch e.Op {
		case parser.MUL:
			return left * right, ok && also
		case parser.DIV:
			return left / right, ok && also
		}
	}
	return 0, false
}
