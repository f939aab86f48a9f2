// SPDX-License-Identifier: Apache-2.0

package promql

import (
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// sources returns the selectors from whose series an expression's result has a label.
func (a *analysis) sources(node parser.Node, label string) []*selector {
	switch n := node.(type) {
	case *parser.VectorSelector:
		if s := a.selectors[n]; s != nil {
			return []*selector{s}
		}
		return nil
	case *parser.AggregateExpr:
		if param, ok := n.Param.(*parser.StringLiteral); ok && n.Op == parser.COUNT_VALUES && param.Val == label {
			return setBy("count_values")
		}
		if n.Without == slices.Contains(n.Grouping, label) && !keepsLabels(n.Op) {
			return nil
		}
		return a.sources(n.Expr, label)
	case *parser.BinaryExpr:
		return a.sourcesOfSides(n, label)
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
	var all []*selector
	for _, child := range parser.Children(node) {
		all = append(all, a.sources(child, label)...)
	}
	return all
}

// setBy returns what stands for the labels that a function sets: no pack renames those.
func setBy(function string) []*selector { return []*selector{{name: function + "()"}} }

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
		switch of := arg.(type) {
		case *parser.ParenExpr:
			arg = of.Expr
			continue
		case *parser.StepInvariantExpr:
			arg = of.Expr
			continue
		case *parser.MatrixSelector:
			arg = of.VectorSelector
			continue
		case *parser.VectorSelector:
			for _, m := range of.LabelMatchers {
				if m.Type == labels.MatchEqual && m.Name != model.MetricNameLabel {
					all = append(all, m.Name)
				}
			}
		}
		return all
	}
}

// keepsLabels reports whether an aggregation returns series with all their labels.
func keepsLabels(op parser.ItemType) bool {
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

func (a *analysis) sourcesOfSides(n *parser.BinaryExpr, label string) []*selector {
	m := n.VectorMatching
	if m == nil { // one side is a scalar
		return append(a.sources(n.LHS, label), a.sources(n.RHS, label)...)
	}
	many, one := n.LHS, n.RHS
	if m.Card == parser.CardOneToMany {
		many, one = one, many
	}
	switch {
	case n.Op == parser.LOR:
		return append(a.sources(n.LHS, label), a.sources(n.RHS, label)...)
	case n.Op.IsSetOperator():
		return a.sources(n.LHS, label)
	case slices.Contains(m.Include, label):
		return a.sources(one, label)
	case m.Card == parser.CardOneToOne && !n.Op.IsComparisonOperator() && m.On != slices.Contains(m.MatchingLabels, label):
		return nil
	}
	return a.sources(many, label)
}

// outputs returns the labels that an expression's result can have, if the query names them.
func (a *analysis) outputs(node parser.Node) (labels []string, known bool) {
	switch n := node.(type) {
	case *parser.AggregateExpr:
		if keepsLabels(n.Op) || n.Without {
			return a.outputs(n.Expr)
		}
		return n.Grouping, true
	case *parser.ParenExpr:
		return a.outputs(n.Expr)
	case *parser.UnaryExpr:
		return a.outputs(n.Expr)
	case *parser.SubqueryExpr:
		return a.outputs(n.Expr)
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
			of, ok := a.outputs(arg)
			labels, known = append(labels, of...), known && ok
		}
		return labels, known
	case *parser.BinaryExpr:
		if n.VectorMatching != nil && n.VectorMatching.On && n.VectorMatching.Card == parser.CardOneToOne && !n.Op.IsSetOperator() {
			return n.VectorMatching.MatchingLabels, true
		}
		left, leftKnown := a.outputs(n.LHS)
		right, rightKnown := a.outputs(n.RHS)
		return append(slices.Clip(left), right...), leftKnown && rightKnown
	}
	return nil, false
}

// below returns the selectors whose labels reach the result of an expression by names that the query does
// not have.
func (a *analysis) below(node parser.Node) []*selector {
	if _, known := a.outputs(node); known {
		return nil
	}
	if s, ok := node.(*parser.VectorSelector); ok {
		if found := a.selectors[s]; found != nil {
			return []*selector{found}
		}
		return nil
	}
	var all []*selector
	for _, child := range parser.Children(node) {
		all = append(all, a.below(child)...)
	}
	return all
}
