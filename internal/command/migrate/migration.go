// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/names"
	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/rewrite"
	"github.com/otelcol-tc/otelcol-tc/internal/places"
	"github.com/otelcol-tc/otelcol-tc/internal/places/document"
)

// migration is what becomes of files.
type migration struct {
	names     *names.Names
	changed   []change
	undecided []undecided
	queries   int // all of them
	rewritten int // those that change
	unowned   int // names in queries that no pack owns

	done  map[document.ID]bool   // queries that an alias repeats
	texts map[document.ID]string // legends and templates after their edits
}

// change is a file with its new text.
type change struct {
	source *places.Source
	text   string
}

// undecided is a text that has to be changed by hand.
type undecided struct {
	file, path, title, text string
	line                    int
	reasons                 []string
}

// migrate decides all texts of files. First it learns from all of them about names.
func migrate(all []*places.Source, by *names.Names) *migration {
	m := &migration{names: by, done: map[document.ID]bool{}, texts: map[document.ID]string{}}
	for _, s := range all {
		m.learn(s)
	}
	for _, s := range all {
		listed := len(m.undecided)
		if s.Fault != nil {
			m.undecided = append(m.undecided, undecided{file: s.Name, reasons: []string{"the file cannot be read: " + s.Fault.Error()}})
		}
		for _, fault := range s.Faults {
			m.undecided = append(m.undecided, undecided{
				file: s.Name, line: fault.Node.Line(), path: fault.Path, reasons: []string{"the document in it cannot be read: " + fault.Err.Error()},
			})
		}
		f := &fileMigration{migration: m, file: s.Name}
		for _, place := range s.Places {
			f.decide(place)
		}
		for _, field := range f.fields {
			f.field(field)
		}
		slices.SortStableFunc(m.undecided[listed:], func(a, b undecided) int { return a.line - b.line })
		if len(f.edits) > 0 {
			m.changed = append(m.changed, change{s, document.Apply(s.Text, f.edits)})
		}
	}
	return m
}

// learn records what a file says about names.
func (m *migration) learn(s *places.Source) {
	for _, name := range s.Named {
		m.names.Record(name, nil)
	}
	for _, place := range s.Places {
		switch place.Kind {
		case places.Query, places.Series:
			rewrite.Observe(place.Node.Text, m.names)
			if place.MetricsQuery != nil {
				rewrite.Observe(place.MetricsQuery.Node.Text, m.names)
			}
			switch labels := m.labelsOf(place.Node.Text, place.Labels); {
			case place.Record != "":
				m.names.Record(place.Record, labels)
			case place.Labels != nil:
				m.names.Record("ALERTS", labels)
				m.names.Record("ALERTS_FOR_STATE", labels)
			}
		case places.Variable:
			rewrite.ObserveVariable(place.Node.Text, m.names)
		case places.MetricName:
			m.names.Observe(place.Node.Text, names.AsGauge)
		}
	}
}

// labelsOf returns the labels of a rule's query, but for those that the rule sets. A rule that depends on its own
// result has the labels of the rest of the query.
func (m *migration) labelsOf(query string, set map[string]bool) names.Labels {
	var result *rewrite.Result
	busy := false
	return func(label string) (renamed, undecided string) {
		if busy || set[label] {
			return label, ""
		}
		busy = true
		defer func() { busy = false }()
		if result == nil {
			rewritten := rewrite.Query(query, m.names)
			result = &rewritten
		}
		if len(result.Undecided) > 0 {
			return label, ""
		}
		renamed, _ = result.Has(label)
		return renamed, ""
	}
}

// fileMigration collects the edits of one file.
type fileMigration struct {
	*migration
	file   string
	edits  []document.Edit
	fields []*field
}

// field is a text that can name a field of a panel, with the panel's queries.
type field struct {
	place   *places.Place
	node    *document.Node
	results []*rewrite.Result
}

// decide decides a place.
func (f *fileMigration) decide(place *places.Place) {
	text := place.Node.Text
	switch place.Kind {
	case places.Query:
		result := rewrite.Query(text, f.names)
		f.query(place, &result)
	case places.Series:
		f.series(place)
	case places.Variable:
		result := rewrite.Variable(text, f.names)
		f.query(place, &result)
	case places.MetricName:
		f.metric(place)
	case places.Label:
		switch decided := f.names.Metric(place.Metric, "").Label(text); {
		case decided.Undecided != "":
			f.cannot(place, place.Node, decided.Undecided)
		case decided.Name != text:
			f.edit(place, place.Node, document.Replace(0, len(text), decided.Name))
		}
	case places.AnyLabel:
		if f.names.Renames(text) {
			f.cannot(place, place.Node, fmt.Sprintf("packs rename the label %s of their metrics", text))
		}
	case places.Mention:
		f.mention(place)
	}
}

// cannot lists a text that has to be changed by hand.
func (f *fileMigration) cannot(place *places.Place, node *document.Node, reasons ...string) {
	f.undecided = append(f.undecided, undecided{
		file: f.file, line: node.Line(), path: place.Path, title: place.Title, text: node.Text, reasons: reasons,
	})
}

// edit changes a text of the file, or lists it if that is not possible.
func (f *fileMigration) edit(place *places.Place, node *document.Node, edits ...document.Edit) (ok bool) {
	placed, err := node.Place(edits)
	if err != nil {
		f.cannot(place, node, err.Error())
		return false
	}
	f.edits = append(f.edits, placed...)
	return true
}

// query changes a query, and the texts that name its labels.
func (f *fileMigration) query(place *places.Place, result *rewrite.Result) {
	f.queries++
	f.unowned += result.Unowned
	for _, node := range place.Fields {
		f.addField(place, node, result)
	}
	switch {
	case len(result.Undecided) > 0:
		f.cannot(place, place.Node, result.Undecided...)
		return
	case len(result.Edits) == 0:
		return
	case !f.done[place.Node.ID()] && !f.edit(place, place.Node, result.Edits...):
		return
	}
	f.done[place.Node.ID()] = true
	f.rewritten++
	for _, legend := range place.Legends {
		f.text(place, legend, result.Legend(legend.Text))
	}
	for _, template := range place.Templates {
		f.text(place, template, result.Template(template.Text))
	}
}

func (f *fileMigration) addField(place *places.Place, node *document.Node, result *rewrite.Result) {
	i := slices.IndexFunc(f.fields, func(known *field) bool { return known.node == node })
	if i < 0 {
		i, f.fields = len(f.fields), append(f.fields, &field{place: place, node: node})
	}
	f.fields[i].results = append(f.fields[i].results, result)
}

// field changes a text that is the name of a metric, or an expression, if the queries of its panel are rewritten. It
// lists other texts that name what changes.
func (f *fileMigration) field(field *field) {
	renamed := map[string]string{} // empty if a query is not decided
	for _, result := range field.results {
		if label, now := result.Field(field.node.Text); label != "" {
			f.cannot(field.place, field.node, fmt.Sprintf("it names the label %s, which is %s now", label, now))
			return
		}
		for old, now := range result.Renames {
			if before, known := renamed[old]; known && before != now || len(result.Undecided) > 0 || result.Converts {
				now = ""
			}
			renamed[old] = now
		}
	}
	var edits []document.Edit
	for _, at := range word.FindAllStringIndex(field.node.Text, -1) {
		name := field.node.Text[at[0]:at[1]]
		switch now := renamed[name]; {
		case now != "" && rewrite.IsExpression(field.node.Text):
			edits = append(edits, document.Replace(at[0], at[1], now))
		case now != name && f.changes(name):
			f.cannot(field.place, field.node, fmt.Sprintf("it names the metric %s, which changes", name))
			return
		}
	}
	if len(edits) > 0 && document.Apply(field.node.Text, edits) != field.node.Text {
		f.edit(field.place, field.node, edits...)
	} else if pattern, ok := strings.CutPrefix(field.node.Text, "/"); ok && len(edits) == 0 && !alike(strings.TrimSuffix(pattern, "/"), renamed) {
		f.cannot(field.place, field.node, notAlike)
	}
}

const notAlike = "it does not match the old and the new name of the metric alike"

// alike reports whether a pattern matches names if and only if it matches their new names. Without a new name it does
// not matter.
func alike(pattern string, renamed map[string]string) bool {
	form, err := regexp.Compile(pattern)
	if err != nil {
		return false
	}
	for old, now := range renamed {
		if now != "" && form.MatchString(old) != form.MatchString(now) {
			return false
		}
	}
	return true
}

// changes reports whether a pack changes the name of a metric.
func (f *fileMigration) changes(name string) bool {
	decided := f.names.Metric(name, "")
	return decided.System.Owned() && (decided.Undecided != "" || decided.Name != name)
}

// text changes a text beside a query. Several queries can have it, by aliases.
func (f *fileMigration) text(place *places.Place, node *document.Node, edits []document.Edit) {
	text := document.Apply(node.Text, edits)
	before, known := f.texts[node.ID()]
	switch {
	case known && before != text:
		f.cannot(place, node, "it belongs to several queries, whose labels change in different ways")
	case !known:
		f.texts[node.ID()] = text
		f.edit(place, node, edits...)
	}
}

// series decides a rule of prometheus-adapter: which series it is about, and what it asks of them.
func (f *fileMigration) series(place *places.Place) {
	series := rewrite.Series(place.Node.Text, f.names)
	if series.Converts && len(series.Edits) > 0 {
		series.Undecided = append(series.Undecided, "values of the series have another unit: change metricsQuery or the targets too")
	}
	for _, pattern := range place.Matches {
		if !alike(pattern.Text, series.Renames) {
			f.cannot(place, pattern, notAlike)
		}
	}
	if now, changed := series.Label(place.Label); place.Label != "" && changed {
		series.Undecided = append(series.Undecided, fmt.Sprintf("its variable asks for the label %s, which is %s now", place.Label, now))
	}
	if place.MetricsQuery == nil {
		f.query(place, &series)
		return
	}
	asked := rewrite.Query(place.MetricsQuery.Node.Text, f.names)
	for _, old := range slices.Sorted(maps.Keys(series.Renames)) {
		asked.Undecided = append(asked.Undecided, rewrite.Query(fill(place.MetricsQuery.Node.Text, old), f.names).Undecided...)
	}
	asked.Undecided = slices.Compact(asked.Undecided)
	// One of them with the new name and the other with the old one would find nothing.
	if len(asked.Undecided) > 0 && len(series.Edits) > 0 {
		series.Undecided = append(series.Undecided, "metricsQuery is not decided")
	} else if len(series.Undecided) > 0 && len(asked.Edits) > 0 {
		asked.Undecided = append(asked.Undecided, "seriesQuery is not decided")
	}
	f.query(place, &series)
	f.query(place.MetricsQuery, &asked)
}

// fill returns a template of prometheus-adapter for a metric. It groups and selects by labels of objects in Kubernetes.
func fill(template, metric string) string {
	return strings.NewReplacer("<<.Series>>", metric, "<<.LabelMatchers>>", `namespace!=""`, "<<.GroupBy>>", "namespace").Replace(template)
}

// The suffixes of prometheus-adapter for a counter and its rate.
const (
	perSecond = "_per_second"
	total     = "_total"
)

// metric decides the name of a metric in an autoscaler.
func (f *fileMigration) metric(place *places.Place) {
	f.queries++
	old := place.Node.Text
	decided := f.names.Metric(old, "")
	renamed := decided.Name
	if rate, ok := strings.CutSuffix(old, perSecond); ok && decided.Undecided != "" {
		if counter := f.names.Metric(rate+total, ""); counter.Undecided == "" {
			decided, renamed = counter, strings.TrimSuffix(counter.Name, total)+perSecond
		}
	}
	switch {
	case !decided.Owned:
		f.unowned++
	case decided.Undecided != "":
		f.cannot(place, place.Node, decided.Undecided)
	case decided.Back != nil || len(decided.Labels) > 0:
		f.cannot(place, place.Node, fmt.Sprintf("%s has other values or labels than %s: change the target too", renamed, old))
	case renamed != old && f.edit(place, place.Node, document.Replace(0, len(old), renamed)):
		f.rewritten++
	}
}

// word matches what can be the name of a metric.
var word = regexp.MustCompile(`[A-Za-z_][\w:]*`)

// mention lists a text that has names of metrics that change, but is no query.
func (f *fileMigration) mention(place *places.Place) {
	for _, name := range word.FindAllString(place.Node.Text, -1) {
		if f.changes(name) {
			f.cannot(place, place.Node, fmt.Sprintf("it names the metric %s, which changes", name))
			return
		}
	}
}
