// SPDX-License-Identifier: Apache-2.0

package promql

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/common/model"

	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/edit"
	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/names"
)

// The queries of Grafana's template variables.
var (
	labelValues  = regexp.MustCompile(`(?s)^\s*label_values\s*\(\s*(.*\S)\s*,\s*([A-Za-z_]\w*)\s*\)\s*$`)
	metricsQuery = regexp.MustCompile(`(?s)^\s*metrics\s*\(\s*(.*?)\s*\)\s*$`)
	queryResult  = regexp.MustCompile(`(?s)^\s*query_result\s*\((.*)\)\s*$`)
	labelsOnly   = regexp.MustCompile(`^\s*(?:label_names\s*\(.*\)|label_values\s*\(\s*([^,]*?)\s*\))\s*$`)
)

// RewriteVariable decides the query of a template variable of Grafana.
func RewriteVariable(query string, by Names) Result {
	if of := labelsOnly.FindStringSubmatch(query); of != nil {
		return ofAll(of[1], by) // of all metrics
	}
	if at := labelValues.FindStringSubmatchIndex(query); at != nil {
		result, converts := RewriteSeries(query[at[2]:at[3]], by)
		if converts && query[at[4]:at[5]] == model.BucketLabel {
			return Result{Undecided: []string{"the bounds le have another unit"}, Uses: result.Uses}
		}
		if result.unnamed() {
			return ofAll(query[at[4]:at[5]], by)
		}
		return result.moved(at[2]).withLabel(query, at[4], at[5])
	}
	if at := metricsQuery.FindStringSubmatchIndex(query); at != nil {
		if beginning := beginningOf(query[at[2]:at[3]]); by.Owns(beginning) {
			return Result{Undecided: []string{fmt.Sprintf("packs own names that the pattern %s can match", query[at[2]:at[3]])}}
		}
		return Result{}
	}
	if at := queryResult.FindStringSubmatchIndex(query); at != nil {
		result := Rewrite(query[at[2]:at[3]], by)
		return result.moved(at[2])
	}
	return Rewrite(query, by)
}

// ObserveVariable records how the query of a template variable uses names.
func ObserveVariable(query string, observe func(name string, use names.Use)) {
	for _, form := range []*regexp.Regexp{labelValues, queryResult} {
		if found := form.FindStringSubmatch(query); found != nil {
			Observe(found[1], observe)
			return
		}
	}
	Observe(query, observe)
}

// ofAll decides a label of metrics that the query does not name.
func ofAll(label string, by Names) Result {
	if by.Renames(label) {
		return Result{Undecided: []string{fmt.Sprintf("packs rename the label %s of their metrics, and the query has no name of a metric", label)}}
	}
	return Result{}
}

// unnamed reports whether the query is a selector that is neither by a name nor by a job.
func (r *Result) unnamed() bool {
	if r.analysis == nil || len(r.Undecided) > 0 || len(r.analysis.ordered) != 1 {
		return false
	}
	s := r.analysis.ordered[0]
	return s.name == "" && !slices.ContainsFunc(s.matchers, func(m matcher) bool {
		return m.matches.Name == model.MetricNameLabel || m.matches.Name == model.JobLabel
	})
}

// moved returns the result for a text with the query at a place.
func (r Result) moved(by int) Result {
	r.Edits = slices.Clone(r.Edits)
	for i := range r.Edits {
		r.Edits[i].Start += by
		r.Edits[i].End += by
	}
	return r
}

// withLabel decides the label of label_values().
func (r Result) withLabel(query string, start, end int) Result {
	if r.analysis == nil || len(r.Undecided) > 0 {
		return r
	}
	label := query[start:end]
	renamed, undecided := rename(label, r.analysis.sources(r.analysis.root, label))
	switch {
	case undecided != "":
		r.Edits, r.Undecided = nil, append(r.Undecided, undecided)
	case renamed != label:
		r.Edits = append(r.Edits, edit.Replace(start, end, renamed))
	}
	return r
}

// The labels in texts for people: those of Grafana's legends, and of Prometheus' templates.
var (
	legendLabel   = regexp.MustCompile(`\{\{\s*([A-Za-z_]\w*)\s*\}\}`)
	templateLabel = regexp.MustCompile(`(?:\$labels\.|\.Labels\.|index\s+(?:\$labels|\.Labels)\s+")([A-Za-z_]\w*)`)
	fieldLabel    = regexp.MustCompile(`^/?\^?([A-Za-z_]\w*)\$?/?$|(?:labels|fields)\.([A-Za-z_]\w*)|\{\{\s*([A-Za-z_]\w*)\s*\}\}|([A-Za-z_]\w*)=~?\\?"`)
)

// Legend returns the edits of a legend of the query, which names labels as {{label}}.
func (r *Result) Legend(text string) []edit.Edit { return r.labelsIn(text, legendLabel) }

// Template returns the edits of a template of a rule, which names labels as $labels.label.
func (r *Result) Template(text string) []edit.Edit { return r.labelsIn(text, templateLabel) }

func (r *Result) labelsIn(text string, form *regexp.Regexp) (edits []edit.Edit) {
	for _, at := range form.FindAllStringSubmatchIndex(text, -1) {
		if renamed, ok := r.Label(text[at[2]:at[3]]); ok {
			edits = append(edits, edit.Replace(at[2], at[3], renamed))
		}
	}
	return edits
}

// Field returns the first label of the query that a text names and that is another one now, or nothing.
func (r *Result) Field(text string) (label, renamed string) {
	for _, found := range fieldLabel.FindAllStringSubmatch(text, -1) {
		label := strings.Join(found[1:], "")
		if renamed, ok := r.Label(label); ok {
			return label, renamed
		}
	}
	return "", ""
}

// Has reports whether the query's result can have a label, and its name on our page.
func (r *Result) Has(label string) (renamed string, has bool) {
	if r.analysis == nil {
		return label, true
	}
	sources := r.analysis.sources(r.analysis.root, label)
	renamed, _ = rename(label, sources)
	return renamed, len(sources) > 0
}
