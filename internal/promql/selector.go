// SPDX-License-Identifier: Apache-2.0

package promql

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// Selector is a selector of series.
type Selector struct {
	// Node is nil for what stands for a function that sets a label.
	Node *parser.VectorSelector
	// Parents are the expressions around it, outermost first.
	Parents []parser.Node
	// Name is the name of the metric, or of the function. It is empty if the selector has no name or a pattern.
	Name string
	// NameWord has the name, in front of the braces or in them.
	NameWord Word
	// Matchers are those in braces that have an operator.
	Matchers []Matcher
	// Braces is the place behind the opening brace, or 0.
	Braces int
}

// Matcher is a matcher of a selector with its words.
type Matcher struct {
	*labels.Matcher
	Label, Operator, Text Word
}

// IsVariable reports whether a variable stands for the whole matcher, or for several.
func (m Matcher) IsVariable() bool { return m.Label.Variable && m.Operator.Variable && m.Text.Variable }

// selector returns a selector with its words.
func (q *Query) selector(node *parser.VectorSelector, parents []parser.Node) *Selector {
	s := &Selector{Node: node, Parents: parents}
	i := q.index(int(node.PosRange.Start))
	if q.item(i).typ != parser.LEFT_BRACE {
		s.NameWord = q.word(i)
		i++
	}
	if brace := q.item(i); brace.typ == parser.LEFT_BRACE && int(brace.start) < int(node.PosRange.End) {
		s.Braces = q.text.original(int(brace.start) + 1)
		q.matchers(s, i+1)
	}
	s.Name = s.NameWord.Value
	return s
}

// matchers reads what is in the braces of a selector. The parser has its matchers in the order of the text.
func (q *Query) matchers(s *Selector, i int) {
	for known := s.Node.LabelMatchers; i < len(q.items) && q.items[i].typ != parser.RIGHT_BRACE && len(known) > 0; {
		switch {
		case q.items[i].typ == parser.COMMA:
			i++
			continue
		case !isMatchOperator(q.item(i + 1).typ): // {"name"}
			s.NameWord = q.word(i)
			i++
		default:
			m := Matcher{known[0], q.word(i), q.word(i + 1), q.word(i + 2)}
			s.Matchers = append(s.Matchers, m)
			if m.Name == model.MetricNameLabel && m.Type == labels.MatchEqual {
				s.NameWord = m.Text
				s.NameWord.Value = m.Value
			}
			i += 3
		}
		known = known[1:]
	}
}

func isMatchOperator(typ parser.ItemType) bool {
	return slices.Contains([]parser.ItemType{parser.EQL, parser.NEQ, parser.EQL_REGEX, parser.NEQ_REGEX}, typ)
}

// Matcher returns the first matcher of a label.
func (s *Selector) Matcher(label string) (Matcher, bool) {
	for _, m := range s.Matchers {
		if m.Label.Value == label {
			return m, true
		}
	}
	return Matcher{}, false
}

// Function returns the function around the selector's range, or the function that has the selector as an argument. It
// is nil without one. Ranged reports whether the selector has a range.
func (s *Selector) Function() (call *parser.Call, ranged bool) {
	last := len(s.Parents) - 1
	if last < 0 {
		return nil, false
	}
	if _, ranged = s.Parents[last].(*parser.MatrixSelector); !ranged {
		call, _ = s.Parents[last].(*parser.Call)
		return call, false
	}
	for i := last - 1; i >= 0; i-- {
		switch n := s.Parents[i].(type) {
		case *parser.ParenExpr, *parser.StepInvariantExpr:
		case *parser.Call:
			return n, true
		default:
			return nil, true
		}
	}
	return nil, true
}

// Buckets returns why a query needs the buckets of a histogram, by one of its names. It is empty if the query has only
// counts, sums, and last buckets, which equal the counts.
func (s *Selector) Buckets() string {
	if m, ok := s.Matcher(model.BucketLabel); ok && m.Type == labels.MatchEqual && m.Value == "+Inf" && !m.Operator.Variable {
		return ""
	}
	for _, parent := range slices.Backward(s.Parents) {
		switch n := parent.(type) {
		case *parser.ParenExpr, *parser.StepInvariantExpr, *parser.MatrixSelector:
		case *parser.AggregateExpr:
			if n.Op != parser.SUM && n.Op != parser.AVG {
				return n.Op.String() + "() sees buckets"
			}
		case *parser.Call:
			switch n.Func.Name {
			case "histogram_count", "histogram_sum", "histogram_avg":
				return ""
			case "rate", "increase":
			default:
				return n.Func.Name + "() sees buckets"
			}
		default:
			return "the result has buckets"
		}
	}
	return "the result has buckets"
}

// namesOnly matches a pattern of whole names, which can be anchored or in parentheses, and name one of them.
var (
	namesOnly = regexp.MustCompile(`^\^?(?:\((?:\?:)?)?(\^?[\w:]+\$?(?:\|\^?[\w:]+\$?)*)\)?\$?$`)
	name      = regexp.MustCompile(`[\w:]+`)
)

// Names returns the words of a matcher that is an alternative of names: {__name__=~"a|b"} or {__name__=~"^(a|b)$"}.
func (m Matcher) Names() (all []Word) {
	if m.Type != labels.MatchRegexp || m.Text.Variable || m.Text.End-m.Text.Start != len(m.Value) {
		return nil
	}
	found := namesOnly.FindStringSubmatchIndex(m.Value)
	if found == nil {
		return nil
	}
	list := m.Value[found[2]:found[3]]
	for _, place := range name.FindAllStringIndex(list, -1) {
		start := m.Text.Start + found[2] + place[0]
		all = append(all, Word{Type: m.Text.Type, Value: list[place[0]:place[1]], Start: start, End: start + place[1] - place[0]})
	}
	return all
}

// Prefix returns the text with which everything begins that a pattern matches, up to its first variable.
func Prefix(pattern string) string {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	parsed = parsed.Simplify()
	if parsed.Op == syntax.OpConcat && len(parsed.Sub) > 0 {
		if parsed.Sub[0].Op == syntax.OpBeginText && len(parsed.Sub) > 1 {
			parsed = parsed.Sub[1]
		} else {
			parsed = parsed.Sub[0]
		}
	}
	if parsed.Op == syntax.OpLiteral && parsed.Flags&syntax.FoldCase == 0 {
		return fixedPrefix(string(parsed.Rune))
	}
	return ""
}

// FixedPrefix returns the part of a word before its first variable.
func (w Word) FixedPrefix() string { return fixedPrefix(w.Value) }

// Form returns a pattern of what a word with variables can be.
func (w Word) Form() *regexp.Regexp {
	fixed := strings.Split(w.Value, wordPlaceholder)
	if len(fixed) == 1 {
		return regexp.MustCompile("") // the placeholder is another one
	}
	for i := range fixed {
		fixed[i] = regexp.QuoteMeta(fixed[i])
	}
	return regexp.MustCompile("^" + strings.Join(fixed, ".*") + "$")
}

func fixedPrefix(text string) string {
	prefix, _, _ := strings.Cut(text, wordPlaceholder)
	return prefix
}
