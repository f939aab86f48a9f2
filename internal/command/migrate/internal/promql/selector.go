// SPDX-License-Identifier: Apache-2.0

package promql

import (
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/edit"
	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/names"
)

// selector is a selector with the decision on its metric.
type selector struct {
	node    *parser.VectorSelector
	parents []parser.Node
	name    string
	metric  names.Metric
	// matchers are those in braces.
	matchers []matcher
}

// changes reports whether the name changes.
func (s *selector) changes() bool { return s.metric.Owned && s.metric.Name != s.name }

// alike reports whether labels that a query does not name change in the same way for both.
func (s *selector) alike(o *selector) bool {
	if len(s.metric.Labels) != len(o.metric.Labels) {
		return false
	}
	return s.metric.System == o.metric.System && s.metric.Owned && o.metric.Owned || !s.metric.Relabels() && !o.metric.Relabels()
}

// matcher is a matcher of a selector with its words. A name in quotes has no operator.
type matcher struct {
	label, operator, value parser.Item
	matches                *labels.Matcher
}

// selector decides a selector: its name, its labels and its values.
func (a *analysis) selector(node *parser.VectorSelector, parents []parser.Node) {
	s := &selector{node: node, parents: slices.Clone(parents)}
	a.selectors[node] = s
	a.ordered = append(a.ordered, s)
	nameAt, all := a.matchers(node)
	s.matchers = all
	job := ""
	for _, m := range all {
		if m.label.Val == "job" && m.operator.Typ == parser.EQL && !a.covers(m.value) {
			job = m.matches.Value
		}
	}
	if !a.nameOf(s, nameAt, all, job) {
		return
	}
	switch {
	case !s.metric.Changes():
		if s.name != "" {
			a.unowned++
		}
		return
	case s.metric.Owned:
		a.uses = append(a.uses, Use{s.name, s.metric.Name, s.metric.Kept})
	}
	if s.metric.Undecided != "" {
		a.cannot("%s", s.metric.Undecided)
		return
	}
	for _, m := range all {
		a.matcher(s, m)
	}
}

func (a *analysis) covers(item parser.Item) bool {
	return a.text.covered(int(item.Pos), int(item.Pos)+len(item.Val))
}

// matchers returns the index of the word with the metric's name, or -1, and the matchers in braces.
func (a *analysis) matchers(node *parser.VectorSelector) (nameAt int, all []matcher) {
	i, nameAt := a.at(int(node.PosRange.Start)), -1
	if a.item(i).Typ != parser.LEFT_BRACE {
		nameAt = i
		i++
	}
	if a.item(i).Typ != parser.LEFT_BRACE || int(a.item(i).Pos) >= int(node.PosRange.End) {
		return nameAt, nil
	}
	known := node.LabelMatchers
	for i++; i < len(a.items) && a.items[i].Typ != parser.RIGHT_BRACE && len(known) > 0; {
		switch {
		case a.items[i].Typ == parser.COMMA:
			i++
		case isMatchOperator(a.item(i + 1).Typ):
			all = append(all, matcher{a.items[i], a.items[i+1], a.item(i + 2), known[0]})
			i, known = i+3, known[1:]
		default:
			nameAt = i
			i, known = i+1, known[1:]
		}
	}
	return nameAt, all
}

func isMatchOperator(typ parser.ItemType) bool {
	switch typ {
	case parser.EQL, parser.NEQ, parser.EQL_REGEX, parser.NEQ_REGEX:
		return true
	}
	return false
}

// nameOf decides the selector's name, and reports whether the rest of the selector can be decided.
func (a *analysis) nameOf(s *selector, nameAt int, all []matcher, job string) bool {
	var pattern *matcher
	for i, m := range all {
		if name(m.label) == model.MetricNameLabel {
			pattern = &all[i]
		}
	}
	var word parser.Item
	switch {
	case nameAt >= 0:
		word = a.items[nameAt]
		s.name = name(word)
	case pattern == nil:
		return false
	case pattern.operator.Typ != parser.EQL:
		a.pattern(s, pattern, job)
		return s.metric.Owned
	default:
		word, s.name = pattern.value, pattern.matches.Value
	}
	if a.covers(word) {
		a.variableName(s.name)
		return false
	}
	s.metric = a.by.Metric(s.name, job)
	if !s.metric.Owned || s.metric.Undecided != "" || s.metric.Name == s.name && len(s.metric.Labels) == 0 {
		return true
	}
	a.replaceName(word, s.metric.Name)
	a.addLabels(s, nameAt, all)
	return true
}

// variableName decides a name with a variable in it.
func (a *analysis) variableName(name string) {
	beginning, _, _ := strings.Cut(name, wordPlaceholder)
	if beginning != "" && a.by.Owns(beginning) {
		a.cannot("the name of the metric has a variable, and a pack owns names that begin with %s", beginning)
	}
	a.unowned++
}

// addLabels adds matchers for the values that were in the old name.
func (a *analysis) addLabels(s *selector, nameAt int, all []matcher) {
	if len(s.metric.Labels) == 0 {
		return
	}
	var added []string
	for _, l := range s.metric.Labels {
		added = append(added, l.Name+"="+strconv.Quote(l.Value))
	}
	text := strings.Join(added, ",")
	switch i := nameAt + 1; {
	case nameAt < 0 || a.items[nameAt].Typ == parser.STRING:
		a.cannot("%s needs the matchers %s", s.metric.Name, text)
	case a.item(i).Typ == parser.LEFT_BRACE && len(all) > 0:
		at := int(a.items[i].Pos) + 1
		a.edits = append(a.edits, edit.Insert(at, text+","))
	case a.item(i).Typ == parser.LEFT_BRACE:
		at := int(a.items[i].Pos) + 1
		a.edits = append(a.edits, edit.Insert(at, text))
	default:
		at := int(a.items[nameAt].Pos) + len(a.items[nameAt].Val)
		a.edits = append(a.edits, edit.Insert(at, "{"+text+"}"))
	}
}

// pattern decides a pattern of names, such as "a|b", if it is a list of names.
func (a *analysis) pattern(s *selector, m *matcher, job string) {
	value := m.matches.Value
	literal := beginningOf(value)
	listed := strings.Split(value, "|")
	if m.operator.Typ == parser.EQL_REGEX && !a.covers(m.value) && value == strings.Join(listed, "|") && allNames(listed) {
		a.listOfNames(s, m, listed, job)
		return
	}
	negative := m.operator.Typ == parser.NEQ || m.operator.Typ == parser.NEQ_REGEX
	if literal == "" && (negative || value == "" || value == ".+" || value == ".*") {
		return // all names, whatever they are
	}
	if literal == wordPlaceholder {
		literal = ""
	}
	if !negative && a.by.Owns(literal) {
		a.cannot("packs own names that the pattern %s can match", m.value.Val)
	}
}

// listOfNames decides an alternative of names.
func (a *analysis) listOfNames(s *selector, m *matcher, listed []string, job string) {
	start := int(m.value.Pos) + 1
	for _, name := range listed {
		metric := a.by.Metric(name, job)
		if !metric.Owned {
			a.unowned++
		} else {
			a.uses = append(a.uses, Use{name, metric.Name, metric.Kept})
			switch {
			case metric.Undecided != "":
				a.cannot("%s", metric.Undecided)
			case metric.Back != nil || len(metric.Labels) > 0 || s.metric.Owned && s.metric.System != metric.System:
				a.cannot("%s needs a selector of its own", name)
			case metric.Name != name:
				a.replace(start, start+len(name), metric.Name)
			}
		}
		s.name, s.metric = name, metric
		start += len(name) + 1
	}
}

func allNames(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool {
		return w == "" || !isWord(w, 0) || strings.ContainsFunc(w, func(r rune) bool { return r > 127 || !isWord(string(r), 0) })
	})
}

// beginningOf returns the text with which everything begins that a pattern matches.
func beginningOf(pattern string) string {
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
		return string(parsed.Rune)
	}
	return ""
}

// matcher decides a matcher of a label.
func (a *analysis) matcher(s *selector, m matcher) {
	label := name(m.label)
	if label == model.MetricNameLabel {
		return
	}
	if a.covers(m.label) {
		if s.metric.Relabels() && m.label.Val == wordPlaceholder && !a.isMatcherVariable(m) {
			a.cannot("a variable has the name of a label, and labels of %s change", s.metric.Name)
		}
		return
	}
	decided := s.metric.Label(label)
	switch {
	case decided.Undecided != "":
		a.cannot("%s", decided.Undecided)
	case decided.Allowed != nil && !a.allowed(m, decided.Allowed):
		a.cannot("values of the label %s other than %s become other", decided.Name, strings.Join(decided.Allowed, ", "))
	case decided.Name != label:
		a.replaceName(m.label, decided.Name)
	}
}

// isMatcherVariable reports whether a variable stands for whole matchers, which its definition has.
func (a *analysis) isMatcherVariable(m matcher) bool {
	return a.covers(m.value) && a.covers(m.operator)
}

// allowed reports whether a matcher selects the same series if all but the allowed values are one.
func (a *analysis) allowed(m matcher, values []string) bool {
	if a.covers(m.value) { // the values come from the labels
		return true
	}
	switch m.operator.Typ {
	case parser.EQL, parser.NEQ:
		return m.matches.Value == "" || slices.Contains(values, m.matches.Value)
	}
	listed := strings.Split(m.matches.Value, "|")
	return m.matches.Value == ".*" || m.matches.Value == ".+" ||
		!slices.ContainsFunc(listed, func(v string) bool { return !slices.Contains(values, v) })
}

// checkLost checks that a query adds up series that are merged, because our page does not have a label.
func (a *analysis) checkLost(s *selector) {
	if len(s.metric.Lost) == 0 || s.metric.Undecided != "" {
		return
	}
	lost := strings.Join(s.metric.Lost, ", ")
	for i := len(s.parents) - 1; i >= 0; i-- {
		switch n := s.parents[i].(type) {
		case *parser.ParenExpr, *parser.MatrixSelector, *parser.StepInvariantExpr:
			continue
		case *parser.Call:
			switch n.Func.Name {
			case "rate", "increase", "irate":
				continue
			}
		case *parser.AggregateExpr:
			if s.metric.Adds && n.Op == parser.SUM && !a.text.covered(int(n.PosRange.Start), int(n.PosRange.Start)+1) {
				return
			}
		}
		break
	}
	a.cannot("series of %s lose %s and are merged: only their sum stays", s.metric.Name, lost)
}
