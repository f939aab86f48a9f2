// SPDX-License-Identifier: Apache-2.0

package promql

import (
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// Sources returns the selectors from whose series an expression's result has a label.
func (q *Query) Sources(node parser.Node, label string) []*Selector {
	switch n := node.(type) {
	case *parser.VectorSelector:
		return []*Selector{q.selectorOf(n)}
	case *parser.AggregateExpr:
		if param, ok := n.Param.(*parser.StringLiteral); ok && n.Op == parser.COUNT_VALUES && param.Val == label {
			return setBy("count_values")
		}
		if n.Without == slices.Contains(n.Grouping, label) && !KeepsLabels(n.Op) {
			return nil
		}
		return q.Sources(n.Expr, label)
	case *parser.BinaryExpr:
		return q.sourcesOfSides(n, label)
	case *parser.Call:
		switch {
		case isAbsent(n):
			if !slices.Contains(labelsOfAbsent(n), label) {
				return nil
			}
		case isLabelFunction(n) && sets(n, label):
			return setBy(n.Func.Name)
		case sets(n, label):
			return nil
		}
	}
	var all []*Selector
	for _, child := range parser.Children(node) {
		all = append(all, q.Sources(child, label)...)
	}
	return all
}

// setBy returns what stands for a label that a function sets.
func setBy(function string) []*Selector { return []*Selector{{Name: function + "()"}} }

func isLabelFunction(n *parser.Call) bool {
	return n.Func.Name == "label_replace" || n.Func.Name == "label_join"
}

func isAbsent(n *parser.Call) bool {
	return n.Func.Name == "absent" || n.Func.Name == "absent_over_time"
}

// labelsOfAbsent returns the labels of the result of absent(): those that its selector has with one value.
func labelsOfAbsent(n *parser.Call) (all []string) {
	arg := n.Args[0]
	for {
		switch outer := arg.(type) {
		case *parser.ParenExpr:
			arg = outer.Expr
		case *parser.StepInvariantExpr:
			arg = outer.Expr
		case *parser.MatrixSelector:
			arg = outer.VectorSelector
		case *parser.VectorSelector:
			for _, m := range outer.LabelMatchers {
				if m.Type == labels.MatchEqual && m.Name != model.MetricNameLabel {
					all = append(all, m.Name)
				}
			}
			return all
		default:
			return all
		}
	}
}

// KeepsLabels reports whether an aggregation returns series with all their labels.
func KeepsLabels(op parser.ItemType) bool {
	switch op {
	case parser.TOPK, parser.BOTTOMK, parser.LIMITK, parser.LIMIT_RATIO:
		return true
	}
	return false
}

// sets reports whether a function removes a label or gives it another value.
func sets(n *parser.Call, label string) bool {
	switch n.Func.Name {
	case "label_replace", "label_join":
		target, ok := n.Args[1].(*parser.StringLiteral)
		return ok && target.Val == label
	case "histogram_quantile", "histogram_fraction":
		return label == "le"
	case "scalar", "vector":
		return true
	}
	return false
}

// sourcesOfSides returns the selectors from which the result of an operator has a label.
func (q *Query) sourcesOfSides(n *parser.BinaryExpr, label string) []*Selector {
	m := n.VectorMatching
	if m == nil { // one side is a scalar
		return append(q.Sources(n.LHS, label), q.Sources(n.RHS, label)...)
	}
	many, one := n.LHS, n.RHS
	if m.Card == parser.CardOneToMany {
		many, one = one, many
	}
	switch {
	case n.Op == parser.LOR:
		return append(q.Sources(n.LHS, label), q.Sources(n.RHS, label)...)
	case n.Op.IsSetOperator():
		return q.Sources(n.LHS, label)
	case slices.Contains(m.Include, label):
		return q.Sources(one, label)
	case m.Card == parser.CardOneToOne && !n.Op.IsComparisonOperator() && m.On != slices.Contains(m.MatchingLabels, label):
		return nil
	}
	return q.Sources(many, label)
}

// Labels returns the labels that an expression's result can have, if the query names them.
func (q *Query) Labels(node parser.Node) (labels []string, known bool) {
	switch n := node.(type) {
	case *parser.AggregateExpr:
		if KeepsLabels(n.Op) || n.Without {
			return q.Labels(n.Expr)
		}
		return n.Grouping, true
	case *parser.ParenExpr, *parser.UnaryExpr, *parser.SubqueryExpr:
		return q.Labels(parser.Children(n)[0])
	case *parser.NumberLiteral:
		return nil, true
	case *parser.Call:
		switch n.Func.Name {
		case "vector", "scalar", "time":
			return nil, true
		case "absent", "absent_over_time":
			return labelsOfAbsent(n), true
		case "label_replace", "label_join":
			return nil, false
		}
		known = true
		for _, arg := range n.Args {
			if arg.Type() != parser.ValueTypeVector && arg.Type() != parser.ValueTypeMatrix {
				continue
			}
			more, ok := q.Labels(arg)
			labels, known = append(labels, more...), known && ok
		}
		return labels, known
	case *parser.BinaryExpr:
		if n.VectorMatching != nil && n.VectorMatching.On && n.VectorMatching.Card == parser.CardOneToOne && !n.Op.IsSetOperator() {
			return n.VectorMatching.MatchingLabels, true
		}
		left, leftKnown := q.Labels(n.LHS)
		right, rightKnown := q.Labels(n.RHS)
		return append(slices.Clip(left), right...), leftKnown && rightKnown
	}
	return nil, false
}

// Unnamed returns the selectors whose labels reach the result of an expression by names that the query does
// not have.
func (q *Query) Unnamed(node parser.Node) []*Selector {
	if _, known := q.Labels(node); known {
		return nil
	}
	if s, ok := node.(*parser.VectorSelector); ok {
		return []*Selector{q.selectorOf(s)}
	}
	var all []*Selector
	for _, child := range parser.Children(node) {
		all = append(all, q.Unnamed(child)...)
	}
	return all
}
