// SPDX-License-Identifier: Apache-2.0

// Package promql reads queries with Prometheus' parser, and adds what the parser does not keep: where each word is
// in the query's text, and which selectors give a result its labels. Variables of Grafana and templates of
// prometheus-adapter are replaced by placeholders for the parser. All places are those of the text with variables.
package promql

import (
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// Query is a query that was read. It is safe for concurrent use.
type Query struct {
	Expr parser.Expr
	// Selectors are those of the query, in the order of the text.
	Selectors []*Selector

	text  *text
	items []item
}

// Word is a word of a query.
type Word struct {
	Type parser.ItemType
	// Value is the word, without quotes. It has placeholders for variables.
	Value string
	// Start and End are its place in the text, without quotes.
	Start, End int
	// Variable reports whether a variable is the word or a part of it. Its place is not exact then.
	Variable bool
}

// Parse reads a query.
func Parse(query string) (*Query, error) {
	text, expr, err := parse(query)
	if err != nil {
		return nil, err
	}
	q := &Query{Expr: expr, text: text, items: lex(text.query)}
	parser.Inspect(expr, func(node parser.Node, parents []parser.Node) error {
		if vector, ok := node.(*parser.VectorSelector); ok {
			q.Selectors = append(q.Selectors, q.selector(vector, slices.Clone(parents)))
		}
		return nil
	})
	return q, nil
}

// item is a word of the query with placeholders. Queries are many, so it has no text.
type item struct {
	typ        parser.ItemType
	start, end int32
}

// lex returns the words of a query.
func lex(query string) (items []item) {
	lexer := parser.Lex(query)
	for {
		var next parser.Item
		lexer.NextItem(&next)
		switch next.Typ {
		case parser.EOF, parser.ERROR:
			return slices.Clone(items) // without spare capacity
		case parser.COMMENT:
		default:
			items = append(items, item{next.Typ, int32(next.Pos), int32(next.Pos) + int32(len(next.Val))})
		}
	}
}

func (q *Query) selectorOf(node *parser.VectorSelector) *Selector {
	return q.Selectors[slices.IndexFunc(q.Selectors, func(s *Selector) bool { return s.Node == node })]
}

// Range returns where an expression begins and ends in the text.
func (q *Query) Range(node parser.Node) (start, end int) {
	place := node.PositionRange()
	return q.text.original(int(place.Start)), q.text.original(int(place.End))
}

// IsVariable reports whether the function of a call, or the operator of an aggregation, is a variable.
func (q *Query) IsVariable(node parser.Node) bool {
	start := int(node.PositionRange().Start)
	return q.text.covered(start, start+1)
}

// index returns the index of the first item at or after a place of the query with placeholders.
func (q *Query) index(place int) int {
	i, _ := slices.BinarySearchFunc(q.items, place, func(item item, place int) int { return int(item.start) - place })
	return i
}

// item returns an item, or an empty one behind the end.
func (q *Query) item(i int) item {
	if i < len(q.items) {
		return q.items[i]
	}
	return item{typ: parser.EOF}
}

// word returns the word of an item.
func (q *Query) word(i int) Word {
	item := q.item(i)
	start, end := int(item.start), int(item.end)
	value := q.text.query[start:end]
	variable := q.text.covered(start, end)
	if item.typ == parser.STRING && len(value) >= 2 {
		start, end = start+1, end-1
		value = strings.ReplaceAll(value[1:len(value)-1], `\`, "")
	}
	return Word{Type: item.typ, Value: value, Start: q.text.original(start), End: q.text.original(end), Variable: variable}
}

// Grouping returns the labels of an aggregation's by or without.
func (q *Query) Grouping(n *parser.AggregateExpr) []Word {
	i := q.index(int(n.PosRange.Start)) + 1
	if q.item(i).typ == parser.LEFT_PAREN { // by follows the expression
		i = q.closing(i) + 1
	}
	if typ := q.item(i).typ; typ != parser.BY && typ != parser.WITHOUT {
		return nil
	}
	return q.list(i + 1)
}

// Matching returns the labels of an operator's on or ignoring, and of its group_left or group_right. It is not ok if
// the operator cannot be found.
func (q *Query) Matching(n *parser.BinaryExpr) (matching, include []Word, ok bool) {
	i := q.index(int(n.LHS.PositionRange().End))
	if q.item(i).typ != n.Op {
		return nil, nil, false
	}
	i++
	if q.item(i).typ == parser.BOOL {
		i++
	}
	if typ := q.item(i).typ; typ == parser.ON || typ == parser.IGNORING {
		matching = q.list(i + 1)
		i = q.closing(i+1) + 1
	}
	if typ := q.item(i).typ; typ == parser.GROUP_LEFT || typ == parser.GROUP_RIGHT {
		include = q.list(i + 1)
	}
	return matching, include, true
}

// Text returns the word of an expression that is a string.
func (q *Query) Text(expr parser.Expr) (Word, bool) {
	s, ok := expr.(*parser.StringLiteral)
	if !ok {
		return Word{}, false
	}
	word := q.word(q.index(int(s.PosRange.Start)))
	word.Value = s.Val
	return word, true
}

// list returns the words of a list in parentheses.
func (q *Query) list(i int) (all []Word) {
	if q.item(i).typ != parser.LEFT_PAREN {
		return nil
	}
	for end := q.closing(i); i < end; i++ {
		if typ := q.items[i].typ; typ != parser.COMMA && typ != parser.LEFT_PAREN {
			all = append(all, q.word(i))
		}
	}
	return all
}

// closing returns the index of the parenthesis that closes the one at an index.
func (q *Query) closing(i int) int {
	depth := 0
	for ; i < len(q.items); i++ {
		switch q.items[i].typ {
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

// Open returns the query as Prometheus understands it: its variables match everything, or are numbers.
func Open(query string) (string, error) {
	q, err := Parse(query)
	if err != nil {
		return "", err
	}
	for _, s := range q.Selectors {
		for i, m := range s.Node.LabelMatchers {
			label := m.Name
			if strings.Contains(label, wordPlaceholder) {
				label = "any" // a matcher of everything can have it
			}
			if strings.Contains(m.Name+m.Value, wordPlaceholder) {
				s.Node.LabelMatchers[i] = labels.MustNewMatcher(labels.MatchRegexp, label, ".*")
			}
		}
	}
	return q.Expr.String(), nil
}
