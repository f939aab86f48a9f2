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
	function           bool
}

// covered returns whether a range of the query has a part of a variable.
func (t *text) covered(start, end int) bool {
	return slices.ContainsFunc(t.placeholders, func(p placeholder) bool { return p.start < end && start < p.end })
}

// original returns the place in the original query of a place that is in no variable.
func (t *text) original(at int) int {
	moved := 0
	for _, p := range t.placeholders {
		if at < p.end {
			break
		}
		moved = p.queryStart + p.before - p.end
	}
	return at + moved
}

// The largest query that is read.
const (
	maxQuery     = 64 << 10
	maxVariables = 200
)

// maxAttempts bounds the combinations of placeholders that are tried.
const maxAttempts = 64

// promParser accepts all that a Prometheus server may have switched on.
var promParser = parser.NewParser(parser.Options{
	EnableExperimentalFunctions: true, ExperimentalDurationExpr: true,
	EnableExtendedRangeSelectors: true, EnableBinopFillModifiers: true,
})

// parse parses a query. The place of a variable decides what can replace it. Of several texts, parse takes
// the first one that the parser accepts.
func parse(query string) (*text, parser.Expr, error) {
	found := variable.FindAllStringIndex(query, -1)
	if len(query) > maxQuery || len(found) > maxVariables {
		return nil, nil, fmt.Errorf("the query must have at most %d bytes and %d variables", maxQuery, maxVariables)
	}
	choices := make([][]string, len(found))
	for i, at := range found {
		choices[i] = choicesFor(query, at[0], at[1])
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
	t := &text{}
	var b strings.Builder
	last := 0
	for i, at := range found {
		b.WriteString(query[last:at[0]])
		start := b.Len()
		b.WriteString(choices[i][chosen[i]])
		t.placeholders = append(t.placeholders, placeholder{
			start: start, end: b.Len(), queryStart: at[0], before: at[1] - at[0],
			function: slices.Equal(choices[i], functionChoices),
		})
		last = at[1]
	}
	b.WriteString(query[last:])
	t.query = b.String()
	return t
}

// The placeholders by what a variable can be.
const (
	wordPlaceholder     = "grafana_variable"
	matcherPlaceholder  = `grafana_variable="x"`
	durationPlaceholder = "7m"
	numberPlaceholder   = "7"
)

var functionChoices = []string{"sum", "rate"}

// choicesFor returns the placeholders for a variable between two places of a query.
func choicesFor(query string, start, end int) []string {
	inside := scan(query[:start])
	before, after := strings.TrimRight(query[:start], " \t\n\r"), strings.TrimLeft(query[end:], " \t\n\r")
	switch {
	case inside.bracket() && isWord(query[end:], 0):
		return []string{numberPlaceholder, wordPlaceholder} // ${seconds}s
	case inside.bracket(), endsInWord(before, "offset"), endsInWord(strings.TrimSuffix(before, "-"), "offset"):
		return []string{durationPlaceholder}
	case inside.quote != 0, isWord(query[end:], 0), isWord(query[:start], start-1):
		return []string{wordPlaceholder}
	case inside.brace():
		if after != "" && strings.IndexByte("=!", after[0]) >= 0 {
			return []string{wordPlaceholder}
		}
		return []string{matcherPlaceholder, wordPlaceholder}
	case strings.HasPrefix(after, "(") || strings.HasPrefix(after, "by") || strings.HasPrefix(after, "without"):
		return functionChoices
	case strings.HasPrefix(after, "{") || strings.HasPrefix(after, "["):
		return []string{wordPlaceholder}
	}
	return []string{numberPlaceholder, wordPlaceholder, durationPlaceholder}
}

// isWord reports whether a text has a character of a name at a place.
func isWord(text string, at int) bool {
	if at < 0 || at >= len(text) {
		return false
	}
	c := text[at]
	return c == '_' || c == ':' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func endsInWord(text, word string) bool {
	rest, ok := strings.CutSuffix(text, word)
	return ok && !isWord(rest, len(rest)-1)
}

// state is what a place of a query is inside of.
type state struct {
	quote byte
	open  []byte
}

func (s state) brace() bool   { return len(s.open) > 0 && s.open[len(s.open)-1] == '{' }
func (s state) bracket() bool { return s.quote == 0 && len(s.open) > 0 && s.open[len(s.open)-1] == '[' }

// scan returns the state at the end of a text.
func scan(query string) (s state) {
	// [[name]] is a variable.
	query = variable.ReplaceAllStringFunc(query, func(v string) string { return strings.Repeat("v", len(v)) })
	for i := 0; i < len(query); i++ {
		switch c := query[i]; {
		case s.quote != 0:
			if c == '\\' && s.quote != '`' {
				i++
			} else if c == s.quote {
				s.quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			s.quote = c
		case c == '#': // a comment
			end := strings.IndexByte(query[i:], '\n')
			if end < 0 {
				return s
			}
			i += end
		case c == '{' || c == '[' || c == '(':
			s.open = append(s.open, c)
		case c == '}' || c == ']' || c == ')':
			if len(s.open) > 0 {
				s.open = s.open[:len(s.open)-1]
			}
		}
	}
	return s
}
