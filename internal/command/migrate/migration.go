// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/document"
	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/edit"
	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/names"
	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/places"
	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/promql"
)

// migration is what becomes of files.
type migration struct {
	names     *names.Names
	changed   []change
	undecided []undecided
	users     []user
	counts    counts
	alerts    []alert
	rewritten map[document.ID]bool
	texts     map[document.ID]string  // legends and templates after their edits
	listed    map[*document.Node]bool // texts that are not decided
}

// counts are of queries, and of names in them.
type counts struct{ queries, changed, unowned int }

// change is a file with its new text.
type change struct {
	source *source
	text   string
}

// undecided is a text that has to be changed by hand.
type undecided struct {
	file, path, title, text string
	line                    int
	reasons                 []string
}

// user is a text that has a name.
type user struct {
	promql.Use
	file, path, title string
	line              int
	undecided         bool
}

// alert is the query of an alerting rule.
type alert struct {
	result promql.Result
	labels map[string]bool
}

// migrate decides all texts of files.
func migrate(all []*source, by *names.Names) *migration {
	m := &migration{names: by, rewritten: map[document.ID]bool{}, texts: map[document.ID]string{}, listed: map[*document.Node]bool{}}
	for _, s := range all {
		m.learn(s)
	}
	var later []func()
	for _, s := range all {
		var edits []edit.Edit
		if s.fault != nil {
			m.undecided = append(m.undecided, undecided{file: s.name, reasons: []string{"the file cannot be read: " + s.fault.Error()}})
		}
		for _, fault := range s.found.Faults {
			m.undecided = append(m.undecided, undecided{
				file: s.name, line: fault.Node.Line(), path: fault.Path, reasons: []string{"the document in it cannot be read: " + fault.Err.Error()},
			})
		}
		for _, place := range s.found.Places {
			if !ofAlerts(place.Kind) {
				edits = append(edits, m.decide(s, place)...)
			}
		}
		// Alertmanager's labels are those of the rules of all files.
		later = append(later, func() {
			for _, place := range s.found.Places {
				if ofAlerts(place.Kind) {
					edits = append(edits, m.decide(s, place)...)
				}
			}
			if len(edits) > 0 {
				m.changed = append(m.changed, change{s, edit.Apply(s.text, edits)})
			}
		})
	}
	for _, rest := range later {
		rest()
	}
	return m
}

// ofAlerts reports whether a place has labels of alerts.
func ofAlerts(kind places.Kind) bool {
	return kind == places.Alert || kind == places.Matcher || kind == places.Message
}

// learn records what a file says about names.
func (m *migration) learn(s *source) {
	for _, name := range s.found.Named {
		m.names.Record(name, nil)
	}
	for _, place := range s.found.Places {
		switch place.Kind {
		case places.Query, places.Series:
			promql.Observe(place.Node.Text, m.names.Observe)
			switch labels := m.labelsOf(place.Node.Text, place.Labels); {
			case place.Record != "":
				m.names.Record(place.Record, labels)
			case place.Labels != nil:
				m.names.Record("ALERTS", labels)
				m.names.Record("ALERTS_FOR_STATE", labels)
			}
		case places.Variable:
			promql.ObserveVariable(place.Node.Text, m.names.Observe)
		case places.Metric:
			m.names.Observe(place.Node.Text, names.AsGauge)
		}
	}
}

// labelsOf returns the labels of a rule's query, but for those that the rule sets. A rule that depends on its own
// result has the labels of the rest of the query.
func (m *migration) labelsOf(query string, set map[string]bool) names.Labels {
	var result *promql.Result
	busy := false
	return func(label string) (renamed, undecided string) {
		if busy || set[label] {
			return label, ""
		}
		busy = true
		defer func() { busy = false }()
		if result == nil {
			rewritten := promql.Rewrite(query, m.names)
			result = &rewritten
		}
		if len(result.Undecided) > 0 {
			return label, ""
		}
		renamed, _ = result.Has(label)
		return renamed, ""
	}
}

// decide returns the edits of the file for a place.
func (m *migration) decide(s *source, place places.Place) []edit.Edit {
	switch place.Kind {
	case places.Query:
		m.counts.queries++
		result := promql.Rewrite(place.Node.Text, m.names)
		if place.Labels != nil && place.Record == "" {
			m.alerts = append(m.alerts, alert{result, place.Labels})
		}
		return m.query(s, place, &result)
	case places.Series:
		m.counts.queries++
		return m.series(s, place)
	case places.Variable:
		m.counts.queries++
		result := promql.RewriteVariable(place.Node.Text, m.names)
		return m.query(s, place, &result)
	case places.Metric:
		m.counts.queries++
		return m.metric(s, place)
	case places.Label:
		decided := m.names.Metric(place.Of, "").Label(place.Node.Text)
		return m.label(s, place, 0, place.Node.Text, decided.Name, decided.Undecided)
	case places.Alert:
		renamed, reason := m.alertLabel(place.Node.Text)
		return m.label(s, place, 0, place.Node.Text, renamed, reason)
	case places.Matcher:
		return m.matchers(s, place, matcherLabel)
	case places.Message:
		return m.matchers(s, place, messageLabel)
	case places.AnyLabel:
		if m.names.Renames(place.Node.Text) {
			m.place(s, place, place.Node, nil, []string{fmt.Sprintf("packs rename the label %s of their metrics", place.Node.Text)})
		}
	case places.Mention:
		m.mentions(s, place)
	}
	return nil
}

// query returns the edits for a query, and for the texts that name its labels.
func (m *migration) query(s *source, place places.Place, result *promql.Result) []edit.Edit {
	m.counts.unowned += result.Unowned
	placed := m.place(s, place, place.Node, result.Edits, result.Undecided)
	for _, use := range result.Uses {
		m.users = append(m.users, user{
			Use: use, file: s.name, line: place.Node.Line(), path: place.Path, title: place.Title, undecided: placed == nil && len(result.Undecided) > 0,
		})
	}
	if len(placed) == 0 {
		return nil
	}
	if id := place.Node.ID(); m.rewritten[id] {
		placed = nil // by an alias of the text
	} else {
		m.rewritten[id] = true
	}
	for _, legend := range place.Legends {
		placed = append(placed, m.text(s, place, legend, result.Legend(legend.Text))...)
	}
	for _, field := range place.Fields {
		if label, renamed := result.Field(field.Text); label != "" && !m.listed[field] {
			m.listed[field] = true
			m.place(s, place, field, nil, []string{fmt.Sprintf("it names the label %s, which is %s now", label, renamed)})
		}
	}
	for _, template := range place.Templates {
		placed = append(placed, m.text(s, place, template, result.Template(template.Text))...)
	}
	return placed
}

// text returns the edits for a text beside a query. Several queries can have it, by aliases.
func (m *migration) text(s *source, place places.Place, node *document.Node, edits []edit.Edit) []edit.Edit {
	text := edit.Apply(node.Text, edits)
	if before, ok := m.texts[node.ID()]; ok {
		if before != text {
			m.place(s, place, node, nil, []string{"it belongs to several queries, whose labels change in different ways"})
		}
		return nil
	}
	m.texts[node.ID()] = text
	return m.place(s, place, node, edits, nil)
}

// series decides which series a rule of prometheus-adapter is about.
func (m *migration) series(s *source, place places.Place) []edit.Edit {
	result, converts := promql.RewriteSeries(place.Node.Text, m.names)
	if converts && len(result.Edits) > 0 {
		result.Edits = nil
		result.Undecided = append(result.Undecided, "values of the series have another unit: change metricsQuery or the targets too")
	}
	matches := place.Fields
	place.Fields = nil
	placed := m.query(s, place, &result)
	for _, pattern := range matches {
		if form, err := regexp.Compile(pattern.Text); len(placed) > 0 && (err != nil || changes(form, result.Uses)) {
			m.place(s, place, pattern, nil, []string{"it does not match the old and the new name of the metric alike"})
		}
	}
	return placed
}

// changes reports whether a pattern matches one of the old and the new names only.
func changes(form *regexp.Regexp, uses []promql.Use) bool {
	return slices.ContainsFunc(uses, func(u promql.Use) bool { return form.MatchString(u.Old) != form.MatchString(u.New) })
}

// place returns the edits of the file for edits of a text, or records why there are none.
func (m *migration) place(s *source, place places.Place, node *document.Node, edits []edit.Edit, reasons []string) []edit.Edit {
	var placed []edit.Edit
	if len(edits) > 0 {
		var err error
		if placed, err = node.Place(edits); err != nil {
			placed, reasons = nil, append(reasons, err.Error())
		}
	}
	switch {
	case len(reasons) > 0:
		m.undecided = append(m.undecided, undecided{
			file: s.name, line: node.Line(), path: place.Path, title: place.Title, text: node.Text, reasons: reasons,
		})
	case len(placed) > 0 && node == place.Node && place.Kind <= places.Metric:
		m.counts.changed++
	}
	return placed
}

// The suffixes of prometheus-adapter for a counter and its rate.
const (
	perSecond = "_per_second"
	total     = "_total"
)

// metric decides the name of a metric in an autoscaler.
func (m *migration) metric(s *source, place places.Place) []edit.Edit {
	old := place.Node.Text
	decided := m.names.Metric(old, "")
	renamed := decided.Name
	if rate, ok := strings.CutSuffix(old, perSecond); ok && decided.Undecided != "" {
		if counter := m.names.Metric(rate+total, ""); counter.Undecided == "" {
			decided, renamed = counter, strings.TrimSuffix(counter.Name, total)+perSecond
		}
	}
	if !decided.Owned {
		m.counts.unowned++
		return nil
	}
	var reasons []string
	switch {
	case decided.Undecided != "":
		reasons = []string{decided.Undecided}
	case decided.Back != nil || len(decided.Labels) > 0:
		reasons = []string{fmt.Sprintf("%s has other values or labels than %s: change the target too", renamed, old)}
	}
	m.users = append(m.users, user{
		Use: promql.Use{Old: old, New: renamed, Kept: decided.Kept}, file: s.name, line: place.Node.Line(), path: place.Path, title: place.Title, undecided: len(reasons) > 0,
	})
	if len(reasons) > 0 || renamed == old {
		return m.place(s, place, place.Node, nil, reasons)
	}
	return m.place(s, place, place.Node, []edit.Edit{edit.Replace(0, len(old), renamed)}, nil)
}

// word matches what can be the name of a metric.
var word = regexp.MustCompile(`[A-Za-z_][\w:]*`)

// mentions lists a text that has names of metrics that change, but is no query.
func (m *migration) mentions(s *source, place places.Place) {
	for _, name := range word.FindAllString(place.Node.Text, -1) {
		if decided := m.names.Metric(name, ""); decided.System.Owned() && (decided.Undecided != "" || decided.Name != name) {
			m.place(s, place, place.Node, nil, []string{fmt.Sprintf("it names the metric %s, which changes", name)})
			return
		}
	}
}

// label returns the edit for a label at a place of a text.
func (m *migration) label(s *source, place places.Place, at int, label, renamed, reason string) []edit.Edit {
	if reason != "" {
		return m.place(s, place, place.Node, nil, []string{reason})
	}
	if renamed == label {
		return nil
	}
	return m.place(s, place, place.Node, []edit.Edit{edit.Replace(at, at+len(label), renamed)}, nil)
}

// matcherLabel matches the labels of matchers: a="b", {a="b",c=~"d"}.
var matcherLabel = regexp.MustCompile(`(?:^|[{,])\s*"?([A-Za-z_]\w*)"?\s*(?:=~|!~|!=|=)`)

// messageLabel matches the labels in templates of Alertmanager: .CommonLabels.a, .GroupLabels.b, .Labels.c.
var messageLabel = regexp.MustCompile(`\.(?:Common|Group)?Labels\.([A-Za-z_]\w*)`)

func (m *migration) matchers(s *source, place places.Place, form *regexp.Regexp) (edits []edit.Edit) {
	for _, at := range form.FindAllStringSubmatchIndex(place.Node.Text, -1) {
		label := place.Node.Text[at[2]:at[3]]
		renamed, reason := m.alertLabel(label)
		edits = append(edits, m.label(s, place, at[2], label, renamed, reason)...)
	}
	return edits
}

// alertLabel decides a label of alerts by the alerting rules of all files.
func (m *migration) alertLabel(label string) (renamed, reason string) {
	var all []string
	for _, a := range m.alerts {
		if a.labels[label] {
			all = append(all, label)
		} else if renamed, has := a.result.Has(label); has && len(a.result.Undecided) == 0 {
			all = append(all, renamed)
		}
	}
	slices.Sort(all)
	switch all = slices.Compact(all); {
	case len(all) == 1:
		return all[0], ""
	case len(all) > 1:
		return label, fmt.Sprintf("the label %s of alerts is %s now, by the alert", label, strings.Join(all, " or "))
	case len(m.alerts) == 0 && m.names.Renames(label):
		return label, fmt.Sprintf("packs rename the label %s, and the rules of the alerts are in none of the files", label)
	}
	return label, ""
}
