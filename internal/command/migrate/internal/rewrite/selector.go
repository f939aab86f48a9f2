// SPDX-License-Identifier: Apache-2.0

package rewrite

import (
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/names"
	"github.com/otelcol-tc/otelcol-tc/internal/places/document"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
)

// selector decides a selector: its name, its labels and its values.
func (r *rewriting) selector(s *promql.Selector) {
	job := ""
	if m, ok := s.Matcher(model.JobLabel); ok && m.Type == labels.MatchEqual && !m.Text.Variable {
		job = m.Value
	}
	pattern, ok := s.Matcher(model.MetricNameLabel)
	switch {
	case s.Name == "" && ok:
		r.pattern(s, pattern, job)
	case s.Name != "":
		r.name(s, job)
	}
	metric := r.metrics[s]
	if !metric.Changes() || metric.Undecided != "" {
		return
	}
	for _, m := range s.Matchers {
		r.matcher(metric, m)
	}
}

// name decides the name of a selector.
func (r *rewriting) name(s *promql.Selector, job string) {
	if s.NameWord.Variable {
		if prefix := s.NameWord.FixedPrefix(); prefix != "" && r.by.Owns(prefix) {
			r.cannot("the name of the metric has a variable, and a pack owns names that begin with %s", prefix)
		}
		r.result.Unowned++
		return
	}
	metric := r.metric(s, s.Name, job)
	if !metric.Owned || metric.Undecided != "" || metric.Name == s.Name && len(metric.Labels) == 0 {
		return
	}
	r.replace(s.NameWord, metric.Name)
	r.addLabels(s, metric)
}

// metric decides a name of a selector.
func (r *rewriting) metric(s *promql.Selector, name, job string) names.Metric {
	metric := r.by.Metric(name, job)
	r.metrics[s] = metric
	if metric.Undecided != "" {
		r.cannot("%s", metric.Undecided)
	}
	switch {
	case metric.Owned:
		r.result.Renames[name] = metric.Name
	case !metric.Changes():
		r.result.Unowned++
	}
	return metric
}

// addLabels adds matchers for the values that were in the old name.
func (r *rewriting) addLabels(s *promql.Selector, metric names.Metric) {
	if len(metric.Labels) == 0 {
		return
	}
	var added []string
	for _, l := range metric.Labels {
		added = append(added, l.Name+"="+strconv.Quote(l.Value))
	}
	text, place := strings.Join(added, ","), s.Braces
	switch {
	case s.NameWord.Type == parser.STRING:
		r.cannot("%s needs the matchers %s", metric.Name, text)
		return
	case s.Braces == 0:
		text, place = "{"+text+"}", s.NameWord.End
	case len(s.Matchers) > 0:
		text += ","
	}
	r.result.Edits = append(r.result.Edits, document.Insert(place, text))
}

// pattern decides a pattern of names: "a|b" is a list of names.
func (r *rewriting) pattern(s *promql.Selector, m promql.Matcher, job string) {
	listed := m.Names()
	all := m.Value == ".+" || m.Value == ".*"
	if m.Type == labels.MatchRegexp && listed == nil && !all && r.by.Owns(promql.Prefix(m.Value)) {
		r.cannot("packs own names that the pattern %q can match", m.Value)
	}
	var before names.Metric
	for _, word := range listed {
		metric := r.metric(s, word.Value, job)
		switch {
		case !metric.Owned || metric.Undecided != "":
		case metric.Back != nil || len(metric.Labels) > 0 || before.Owned && before.System != metric.System:
			r.cannot("%s needs a selector of its own", word.Value)
		case metric.Name != word.Value:
			r.replace(word, metric.Name)
		}
		before = metric
	}
}

// matcher decides a matcher of a label.
func (r *rewriting) matcher(metric names.Metric, m promql.Matcher) {
	label := m.Label.Value
	if m.Label.Variable {
		if metric.Relabels() && !m.IsVariable() {
			r.cannot("a variable has the name of a label, and labels of %s change", metric.Name)
		}
		return
	}
	decided := metric.Label(label)
	switch {
	case label == model.MetricNameLabel:
	case decided.Undecided != "":
		r.cannot("%s", decided.Undecided)
	case decided.Allowed != nil && !allowed(m, decided.Allowed):
		r.cannot("values of the label %s other than %s become other", decided.Name, strings.Join(decided.Allowed, ", "))
	case decided.Name != label:
		r.replace(m.Label, decided.Name)
	}
}

// allowed reports whether a matcher selects the same series if all but the allowed values are one.
func allowed(m promql.Matcher, values []string) bool {
	if m.Text.Variable { // the values come from the labels
		return true
	}
	if m.Type == labels.MatchEqual || m.Type == labels.MatchNotEqual {
		return m.Value == "" || slices.Contains(values, m.Value)
	}
	return m.Value == ".*" || m.Value == ".+" ||
		!slices.ContainsFunc(strings.Split(m.Value, "|"), func(v string) bool { return !slices.Contains(values, v) })
}
