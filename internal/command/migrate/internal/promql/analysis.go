// SPDX-License-Identifier: Apache-2.0

package promql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/edit"
)

// analysis collects the edits of one query.
type analysis struct {
	text      *text
	by        Names
	root      parser.Expr
	items     []parser.Item
	selectors map[*parser.VectorSelector]*selector
	ordered   []*selector

	edits     []edit.Edit // of the query with placeholders
	undecided []string
	uses      []Use
	unowned   int
}

// lex reads the words of the query.
func (a *analysis) lex() {
	lexer := parser.Lex(a.text.query)
	for {
		var item parser.Item
		lexer.NextItem(&item)
		if item.Typ == parser.EOF || item.Typ == parser.ERROR {
			return
		}
		if item.Typ != parser.COMMENT {
			a.items = append(a.items, item)
		}
	}
}

// at returns the index of the first word at or after a place.
func (a *analysis) at(place int) int {
	i, _ := slices.BinarySearchFunc(a.items, place, func(item parser.Item, at int) int { return int(item.Pos) - at })
	return i
}

// item returns a word, or an empty one behind the end.
func (a *analysis) item(i int) parser.Item {
	if i < len(a.items) {
		return a.items[i]
	}
	return parser.Item{Typ: parser.EOF}
}

func (a *analysis) cannot(format string, args ...any) {
	a.undecided = append(a.undecided, fmt.Sprintf(format, args...))
}

// replace replaces a range of the query, unless a variable is in it.
func (a *analysis) replace(start, end int, with string) {
	if a.text.covered(start, end) {
		a.cannot("%s has a variable in a name", a.text.query[start:end])
		return
	}
	a.edits = append(a.edits, edit.Replace(start, end, with))
}

// replaceName replaces a label's name, which can be in quotes.
func (a *analysis) replaceName(item parser.Item, with string) {
	start, end := int(item.Pos), int(item.Pos)+len(item.Val)
	if item.Typ == parser.STRING {
		start, end = start+1, end-1
	}
	a.replace(start, end, with)
}

// wrap puts an expression in parentheses with an operator.
func (a *analysis) wrap(node parser.Node, suffix string) {
	at := node.PositionRange()
	a.edits = append(a.edits, edit.Insert(int(at.Start), "("), edit.Insert(int(at.End), suffix+")"))
}

// visit decides an expression. The selectors come first, because labels of the outer expressions are
// decided by them. Parents are the outer expressions, outermost first.
func (a *analysis) visit(node parser.Node, parents []parser.Node) {
	inner := append(slices.Clip(parents), node)
	for _, child := range parser.Children(node) {
		a.visit(child, inner)
	}
	switch n := node.(type) {
	case *parser.VectorSelector:
		a.selector(n, parents)
	case *parser.AggregateExpr:
		a.aggregate(n)
	case *parser.BinaryExpr:
		a.binary(n)
	case *parser.Call:
		a.call(n)
	}
}

// aggregate decides the labels that an aggregation groups by.
func (a *analysis) aggregate(n *parser.AggregateExpr) {
	i := a.at(int(n.PosRange.Start)) + 1
	if a.item(i).Typ == parser.LEFT_PAREN {
		i = a.closing(i) + 1
	}
	if typ := a.item(i).Typ; typ != parser.BY && typ != parser.WITHOUT {
		return
	}
	for _, label := range a.list(i + 1) {
		a.renameLabel(label, a.sources(n.Expr, name(label)), n.Without)
	}
}

// closing returns the index of the parenthesis that closes the one at an index.
func (a *analysis) closing(i int) int {
	depth := 0
	for ; i < len(a.items); i++ {
		switch a.items[i].Typ {
		case parser.LEFT_PAREN:
			depth++
		case parser.RIGHT_PAREN:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return i
}

// list returns the words of a list in parentheses.
func (a *analysis) list(i int) []parser.Item {
	if a.item(i).Typ != parser.LEFT_PAREN {
		return nil
	}
	var all []parser.Item
	for _, item := range a.items[i+1 : a.closing(i)] {
		if item.Typ != parser.COMMA {
			all = append(all, item)
		}
	}
	return all
}

// name returns the label of a word, which can be in quotes.
func name(item parser.Item) string {
	if item.Typ == parser.STRING {
		return unquoted(item.Val)
	}
	return item.Val
}

// renameLabel renames a label by the selectors that have it. Removes reports whether the expression removes
// the label, so it does not matter that it is gone.
func (a *analysis) renameLabel(item parser.Item, sources []*selector, removes bool) {
	label := name(item)
	if a.text.covered(int(item.Pos), int(item.Pos)+len(item.Val)) {
		for _, s := range sources {
			if s.metric.Relabels() {
				a.cannot("a variable has the name of a label, and labels of %s change", s.metric.Name)
			}
		}
		return
	}
	if label == "__name__" {
		for _, s := range sources {
			if s.changes() {
				a.cannot("the query groups by the name of the metric, and %s is %s now", s.name, s.metric.Name)
			}
		}
		return
	}
	renamed, undecided := rename(label, sources)
	switch {
	case undecided != "" && !removes:
		a.cannot("%s", undecided)
	case undecided == "" && renamed != label:
		a.replaceName(item, renamed)
	}
}

// binary decides the labels by which the sides of an operator match.
func (a *analysis) binary(n *parser.BinaryExpr) {
	if n.VectorMatching == nil {
		return
	}
	i := a.at(int(n.LHS.PositionRange().End))
	if a.item(i).Typ != n.Op {
		a.cannot("the place of the operator %s is unknown", n.Op)
		return
	}
	i++
	if a.item(i).Typ == parser.BOOL {
		i++
	}
	if typ := a.item(i).Typ; typ == parser.ON || typ == parser.IGNORING {
		for _, label := range a.list(i + 1) {
			both := append(a.sources(n.LHS, name(label)), a.sources(n.RHS, name(label))...)
			a.renameLabel(label, both, typ == parser.IGNORING)
		}
		i = a.closing(i+1) + 1
	}
	if typ := a.item(i).Typ; typ == parser.GROUP_LEFT || typ == parser.GROUP_RIGHT {
		one := n.RHS
		if typ == parser.GROUP_RIGHT {
			one = n.LHS
		}
		for _, label := range a.list(i + 1) {
			a.renameLabel(label, a.sources(one, name(label)), false)
		}
	}
	if !n.VectorMatching.On {
		a.checkMatching(n)
	}
}

// checkMatching checks that labels that matched still do, although the query does not name them.
func (a *analysis) checkMatching(n *parser.BinaryExpr) {
	left, leftKnown := a.outputs(n.LHS)
	right, rightKnown := a.outputs(n.RHS)
	for _, label := range append(slices.Clip(left), right...) {
		ofLeft, ofRight := a.sources(n.LHS, label), a.sources(n.RHS, label)
		one, _ := rename(label, ofLeft)
		other, _ := rename(label, ofRight)
		if len(ofLeft) > 0 && len(ofRight) > 0 && one != other {
			a.cannot("the label %s is %s on one side of %s, and %s on the other: on() and label_replace() decide", label, one, n.Op, other)
		}
	}
	if leftKnown || rightKnown {
		return
	}
	all := append(a.below(n.LHS), a.below(n.RHS)...)
	for _, s := range all {
		if first := all[0]; !s.alike(first) {
			a.cannot("labels of %s and %s change in different ways, and %s matches by them: on() decides", first.name, s.name, n.Op)
			return
		}
	}
}

// call decides the labels that functions have in strings.
func (a *analysis) call(n *parser.Call) {
	text := func(i int) (string, parser.Item) {
		if i < len(n.Args) {
			if s, ok := n.Args[i].(*parser.StringLiteral); ok {
				return s.Val, a.item(a.at(int(s.PosRange.Start)))
			}
		}
		return "", parser.Item{}
	}
	switch n.Func.Name {
	case "label_replace":
		a.setLabel(n, text)
		if src, item := text(3); src != "" {
			a.renameLabel(item, a.sources(n.Args[0], src), false)
		}
	case "label_join":
		a.setLabel(n, text)
		for i := 3; i < len(n.Args); i++ {
			if src, item := text(i); src != "" {
				a.renameLabel(item, a.sources(n.Args[0], src), false)
			}
		}
	case "sort_by_label", "sort_by_label_desc":
		for i := 1; i < len(n.Args); i++ {
			if label, item := text(i); label != "" {
				a.renameLabel(item, a.sources(n.Args[0], label), false)
			}
		}
	case "info":
		for _, s := range a.below(n) {
			if s.metric.Owned {
				a.cannot("info() joins by labels that the query does not name")
			}
		}
	}
}

// setLabel checks the label that a function sets: it replaces one of the series.
func (a *analysis) setLabel(n *parser.Call, text func(int) (string, parser.Item)) {
	label, _ := text(1)
	if renamed, undecided := rename(label, a.sources(n.Args[0], label)); undecided == "" && renamed != label {
		a.cannot("%s() replaces the label %s, which is %s now", n.Func.Name, label, renamed)
	}
}

// rename returns a label's new name, which must be the same for all selectors that have it.
func rename(label string, sources []*selector) (renamed, undecided string) {
	renamed = label
	for i, s := range sources {
		decided := s.metric.Label(label)
		switch {
		case decided.Undecided != "":
			return label, decided.Undecided
		case i > 0 && decided.Name != renamed:
			return label, fmt.Sprintf("the label %s is %s for %s, and %s for others", label, decided.Name, s.name, renamed)
		}
		renamed = decided.Name
	}
	return renamed, ""
}

func unquoted(text string) string {
	if len(text) < 2 {
		return text
	}
	return strings.ReplaceAll(text[1:len(text)-1], `\`, "")
}
