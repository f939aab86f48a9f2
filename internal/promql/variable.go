// SPDX-License-Identifier: Apache-2.0

package promql

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"
)

// variable matches the variables of Grafana, and the templates of prometheus-adapter.
var variable = regexp.MustCompile(`\$[A-Za-z_]\w*|\$\{[^{}\s]+\}|\[\[\w+(?::\w+)?\]\]|<<[^<>]*>>`)

// text is a query in which variables are replaced by placeholders.
type text struct {
	query        string // with placeholders
	placeholders []placeholder
}

// placeholder is where a variable was.
type placeholder struct {
	start, end         int // in the query with placeholders
	queryStart, before int // in the original: where the variable begins, and its length
	name               string
}

// covered reports whether a range of the query has a part of a variable.
func (t *text) covered(start, end int) bool {
	return slices.ContainsFunc(t.placeholders, func(p placeholder) bool { return p.start < end && start < p.end })
}

// original returns the place in the original query of a place that is in no variable.
func (t *text) original(place int) int {
	moved := 0
	for _, p := range t.placeholders {
		if place < p.end {
			break
		}
		moved = p.queryStart + p.before - p.end
	}
	return place + moved
}

// maxAttempts bounds the combinations of placeholders that are tried.
const maxAttempts = 64

// promParser accepts all that a Prometheus server may have switched on.
var promParser = parser.NewParser(parser.Options{
	EnableExperimentalFunctions: true, ExperimentalDurationExpr: true,
	EnableExtendedRangeSelectors: true, EnableBinopFillModifiers: true,
})

// Parser returns the parser of queries.
func Parser() parser.Parser { return promParser }

// parse parses a query. The place of a variable decides what can replace it. Of several texts, parse takes
// the first one that the parser accepts.
func parse(query string) (*text, parser.Expr, error) {
	if len(query) > maxLength {
		return nil, nil, fmt.Errorf("must have at most %d bytes (got %d)", maxLength, len(query))
	}
	found, outline := variable.FindAllStringIndex(query, -1), outlineOf(query)
	if parts := len(found) + operators(outline); parts > maxParts {
		return nil, nil, fmt.Errorf("must have at most %d operators, parentheses and variables (got %d)", maxParts, parts)
	}
	choices := make([][]string, len(found))
	for i, at := range found {
		choices[i] = choicesFor(outline, at[0], at[1])
	}
	chosen := make([]int, len(found))
	var first error
	for range maxAttempts {
		t := substitute(query, found, choices, chosen)
		expr, err := promParser.ParseExpr(t.query)
		if err == nil {
			return t, expr, nil
		}
		if first == nil {
			first = err
		}
		if !next(chosen, choices) {
			break
		}
	}
	// The list of all errors repeats itself, and its positions are those of placeholders.
	if all := (parser.ParseErrors)(nil); errors.As(first, &all) && len(all) > 0 {
		first = all[0].Err
	}
	return nil, nil, first
}

// next chooses the next combination, and reports whether there is one.
func next(chosen []int, choices [][]string) bool {
	for i := range chosen {
		if chosen[i]++; chosen[i] < len(choices[i]) {
			return true
		}
		chosen[i] = 0
	}
	return false
}

// substitute replaces each variable by the chosen placeholder.
func substitute(query string, found [][]int, choices [][]string, chosen []int) *text {
	if len(found) == 0 {
		return &text{query: query}
	}
	t := &text{}
	var b strings.Builder
	last := 0
	for i, at := range found {
		b.WriteString(query[last:at[0]])
		start := b.Len()
		b.WriteString(choices[i][chosen[i]])
		t.placeholders = append(t.placeholders, placeholder{
			start: start, end: b.Len(), queryStart: at[0], before: at[1] - at[0], name: variableName(query[at[0]:at[1]]),
		})
		last = at[1]
	}
	b.WriteString(query[last:])
	t.query = b.String()
	return t
}

// variableName returns the name of a variable, without a format: ${name:csv}.
func variableName(variable string) string {
	name, _, _ := strings.Cut(strings.Trim(variable, "${}[]<>"), ":")
	return name
}

// builtIn is how Grafana's own variables begin, which are numbers, times and durations where they are operands.
const builtIn = "__"

// Operands returns the variables that stand for a whole operand: each may be a metric or an expression. Arguments that
// have to be numbers are left out.
func (q *Query) Operands() (names []string) {
	parser.Inspect(q.Expr, func(node parser.Node, parents []parser.Node) error {
		number, ok := node.(*parser.NumberLiteral)
		if !ok || isScalar(number, parents) {
			return nil
		}
		for _, p := range q.text.placeholders {
			if p.start < int(number.PosRange.End) && int(number.PosRange.Start) < p.end && !strings.HasPrefix(p.name, builtIn) {
				names = append(names, p.name)
			}
		}
		return nil
	})
	return names
}

// isScalar reports whether an expression is a part of an argument that has to be a number.
func isScalar(inner parser.Node, parents []parser.Node) bool {
	for _, parent := range slices.Backward(parents) {
		switch n := parent.(type) {
		case *parser.AggregateExpr:
			return n.Param == inner
		case *parser.Call:
			i := slices.IndexFunc(n.Args, func(arg parser.Expr) bool { return arg == inner })
			types := n.Func.ArgTypes
			return i >= 0 && types[min(i, len(types)-1)] == parser.ValueTypeScalar
		}
		inner = parent
	}
	return false
}

// HasLooseVariable reports whether a text has a variable outside of strings.
func HasLooseVariable(query string) bool {
	return variable.MatchString(opaque.ReplaceAllString(query, ""))
}

// maxParts and maxLength bound the queries that are parsed: the parser takes time by the square of the nesting. The
// parts are variables, operators, signs and parentheses.
const (
	maxParts  = 1000
	maxLength = 256 << 10
)

// operators counts the operators, signs and parentheses of a query's outline.
func operators(outline string) (count int) {
	for _, c := range outline {
		if strings.ContainsRune("+-*/%^<>=!([", c) {
			count++
		}
	}
	return count + len(wordOperators.FindAllStringIndex(outline, -1))
}

// wordOperators matches operators that are words.
var wordOperators = regexp.MustCompile(`(?i)\b(?:and|or|unless|atan2)\b`)

// The placeholders by what a variable can be.
const (
	wordPlaceholder     = "grafana_variable"
	matcherPlaceholder  = `grafana_variable="x"`
	durationPlaceholder = "7m"
	numberPlaceholder   = "7"
)

// opaque matches strings and comments.
var opaque = regexp.MustCompile("(?s)\"(?:\\\\.|[^\"\\\\])*\"|'(?:\\\\.|[^'\\\\])*'|`[^`]*`|#[^\n]*")

// outlineOf returns a query with letters for variables, and with spaces for strings and comments.
func outlineOf(query string) string {
	fill := func(with string) func(string) string {
		return func(found string) string { return strings.Repeat(with, len(found)) }
	}
	return opaque.ReplaceAllStringFunc(variable.ReplaceAllStringFunc(query, fill("v")), fill(" "))
}

// IsLogQL reports whether a query is one of Loki, which has pipes outside of strings.
func IsLogQL(query string) bool { return strings.Contains(outlineOf(query), "|") }

// maxOffset is how far before a variable the modifier offset can be, in bytes.
const maxOffset = 100

// offset matches a text that ends in the modifier offset.
var offset = regexp.MustCompile(`\boffset\s*-?\s*$`)

// choicesFor returns the placeholders for a variable between two places of a query's outline.
func choicesFor(outline string, start, end int) []string {
	before, after := outline[:start], strings.TrimLeft(outline[end:], " \t\n\r")
	bracket, wordFollows := isInside(before, "[", "]"), isWord(outline[end:], 0)
	switch {
	case bracket && wordFollows:
		return []string{numberPlaceholder, wordPlaceholder} // ${seconds}s
	case bracket, offset.MatchString(before[max(0, start-maxOffset):]):
		return []string{durationPlaceholder}
	case outline[start] == ' ', wordFollows, isWord(before, start-1):
		return []string{wordPlaceholder}
	case isInside(before, "{", "}"):
		if strings.HasPrefix(after, "=") || strings.HasPrefix(after, "!") {
			return []string{wordPlaceholder}
		}
		return []string{matcherPlaceholder, wordPlaceholder}
	case strings.HasPrefix(after, "(") || strings.HasPrefix(after, "by") || strings.HasPrefix(after, "without"):
		return []string{"sum", "rate"}
	case strings.HasPrefix(after, "{") || strings.HasPrefix(after, "["):
		return []string{wordPlaceholder}
	}
	return []string{numberPlaceholder, wordPlaceholder, durationPlaceholder}
}

// isInside reports whether the last bracket of a kind in a text is open.
func isInside(text, open, closed string) bool {
	return strings.LastIndex(text, open) > strings.LastIndex(text, closed)
}

// isWord reports whether a text has a character of a name at a place.
func isWord(text string, place int) bool {
	if place < 0 || place >= len(text) {
		return false
	}
	c := text[place]
	return c == '_' || c == ':' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
