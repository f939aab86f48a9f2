// SPDX-License-Identifier: Apache-2.0

package rewrite

import (
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/otelcol-tc/otelcol-tc/internal/promql"
)

// labels decides the labels that an expression names.
func (r *rewriting) labels(node parser.Node) {
	switch n := node.(type) {
	case *parser.AggregateExpr:
		for _, label := range r.Grouping(n) {
			r.label(label, r.Sources(n.Expr, label.Value), n.Without)
		}
	case *parser.BinaryExpr:
		if n.VectorMatching != nil {
			r.binary(n)
		}
	case *parser.Call:
		r.call(n)
	}
}

// label renames a label by the selectors that have it. Removes reports whether the expression removes the label, so
// it does not matter that it is gone.
func (r *rewriting) label(word promql.Word, sources []*promql.Selector, removes bool) {
	switch {
	case word.Variable:
		for _, s := range sources {
			if metric := r.metrics[s]; metric.Relabels() {
				r.cannot("a variable has the name of a label, and labels of %s change", metric.Name)
			}
		}
		return
	case word.Value == model.MetricNameLabel:
		for _, s := range sources {
			if metric := r.metrics[s]; metric.Owned && metric.Name != s.Name {
				r.cannot("the query groups by the name of the metric, and %s is %s now", s.Name, metric.Name)
			}
		}
		return
	}
	renamed, undecided := r.rename(word.Value, sources)
	switch {
	case undecided != "" && !removes:
		r.cannot("%s", undecided)
	case undecided == "" && renamed != word.Value:
		r.replace(word, renamed)
	}
}

// binary decides the labels by which the sides of an operator match.
func (r *rewriting) binary(n *parser.BinaryExpr) {
	matching, include, ok := r.Matching(n)
	if !ok {
		r.cannot("the place of the operator %s is unknown", n.Op)
		return
	}
	for _, label := range matching {
		both := append(r.Sources(n.LHS, label.Value), r.Sources(n.RHS, label.Value)...)
		r.label(label, both, !n.VectorMatching.On)
	}
	one := n.RHS
	if n.VectorMatching.Card == parser.CardOneToMany {
		one = n.LHS
	}
	for _, label := range include {
		r.label(label, r.Sources(one, label.Value), false)
	}
	if !n.VectorMatching.On {
		r.checkMatching(n)
	}
}

// checkMatching checks that labels that matched still do, although the query does not name them.
func (r *rewriting) checkMatching(n *parser.BinaryExpr) {
	left, leftKnown := r.Labels(n.LHS)
	right, rightKnown := r.Labels(n.RHS)
	for _, label := range append(slices.Clip(left), right...) {
		leftSources, rightSources := r.Sources(n.LHS, label), r.Sources(n.RHS, label)
		one, _ := r.rename(label, leftSources)
		other, _ := r.rename(label, rightSources)
		if len(leftSources) > 0 && len(rightSources) > 0 && one != other {
			r.cannot("the label %s is %s on one side of %s, and %s on the other: on() and label_replace() decide", label, one, n.Op, other)
		}
	}
	if leftKnown || rightKnown {
		return
	}
	all := append(r.Unnamed(n.LHS), r.Unnamed(n.RHS)...)
	for _, s := range all {
		if first := all[0]; !r.alike(s, first) {
			r.cannot("labels of %s and %s change in different ways, and %s matches by them: on() decides", first.Name, s.Name, n.Op)
			return
		}
	}
}

// alike reports whether labels that a query does not name change in the same way for both selectors.
func (r *rewriting) alike(one, other *promql.Selector) bool {
	a, b := r.metrics[one], r.metrics[other]
	if len(a.Labels) != len(b.Labels) {
		return false
	}
	return a.System == b.System && a.Owned && b.Owned || !a.Relabels() && !b.Relabels()
}

// call decides the labels that functions have in strings.
func (r *rewriting) call(n *parser.Call) {
	var labels []parser.Expr
	switch n.Func.Name {
	case "label_replace":
		r.checkTarget(n)
		labels = n.Args[3:4]
	case "label_join":
		r.checkTarget(n)
		labels = n.Args[3:]
	case "sort_by_label", "sort_by_label_desc":
		labels = n.Args[1:]
	case "info":
		for _, s := range r.Unnamed(n) {
			if r.metrics[s].Owned {
				r.cannot("info() joins by labels that the query does not name")
			}
		}
	}
	for _, expr := range labels {
		if label, ok := r.Text(expr); ok && label.Value != "" {
			r.label(label, r.Sources(n.Args[0], label.Value), false)
		}
	}
}

// checkTarget checks the label that a function sets: it replaces one of the series.
func (r *rewriting) checkTarget(n *parser.Call) {
	label, _ := r.Text(n.Args[1])
	if renamed, undecided := r.rename(label.Value, r.Sources(n.Args[0], label.Value)); undecided == "" && renamed != label.Value {
		r.cannot("%s() replaces the label %s, which is %s now", n.Func.Name, label.Value, renamed)
	}
}
