// SPDX-License-Identifier: Apache-2.0

package rewrite

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/common/model"

	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/names"
	"github.com/otelcol-tc/otelcol-tc/internal/places"
	"github.com/otelcol-tc/otelcol-tc/internal/places/document"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
)

// Variable decides the query of a template variable of Grafana.
func Variable(query string, by *names.Names) Result {
	if found := places.LabelsOnly.FindStringSubmatch(query); found != nil {
		return withoutMetric(found[1], by)
	}
	if at := places.LabelValues.FindStringSubmatchIndex(query); at != nil {
		result, label := Series(query[at[2]:at[3]], by), query[at[4]:at[5]]
		switch {
		case result.Converts && label == model.BucketLabel:
			return Result{Undecided: []string{"the bounds le have another unit"}}
		case result.unnamed():
			return withoutMetric(label, by)
		}
		return result.moved(at[2]).withLabel(query, at[4], at[5])
	}
	if at := places.MetricsQuery.FindStringSubmatch(query); at != nil {
		if by.Owns(promql.Prefix(at[1])) {
			return Result{Undecided: []string{fmt.Sprintf("packs own names that the pattern %s can match", at[1])}}
		}
		return Result{}
	}
	if at := places.QueryResult.FindStringSubmatchIndex(query); at != nil {
		result := Query(query[at[2]:at[3]], by)
		return result.moved(at[2])
	}
	return Query(query, by)
}

// ObserveVariable records how the query of a template variable uses names.
func ObserveVariable(query string, by *names.Names) {
	for _, form := range []*regexp.Regexp{places.LabelValues, places.QueryResult} {
		if found := form.FindStringSubmatch(query); found != nil {
			query = found[1]
			break
		}
	}
	Observe(query, by)
}

// withoutMetric decides a label whose query names no metric.
func withoutMetric(label string, by *names.Names) Result {
	if by.Renames(label) {
		return Result{Undecided: []string{fmt.Sprintf("packs rename the label %s of their metrics, and the query has no name of a metric", label)}}
	}
	return Result{}
}

// unnamed reports whether the query is a selector that is neither by a name nor by a job.
func (r *Result) unnamed() bool {
	if r.rewriting == nil || len(r.Undecided) > 0 || len(r.rewriting.Selectors) != 1 {
		return false
	}
	s := r.rewriting.Selectors[0]
	_, byName := s.Matcher(model.MetricNameLabel)
	_, byJob := s.Matcher(model.JobLabel)
	return s.Name == "" && !byName && !byJob
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
	if r.rewriting == nil || len(r.Undecided) > 0 {
		return r
	}
	label := query[start:end]
	renamed, undecided := r.rewriting.rename(label, r.rewriting.Sources(r.rewriting.Expr, label))
	switch {
	case undecided != "":
		r.Edits, r.Undecided = nil, append(r.Undecided, undecided)
	case renamed != label:
		r.Edits = append(r.Edits, document.Replace(start, end, renamed))
	}
	return r
}

// The labels in texts for people: those of Grafana's legends, and of Prometheus' templates.
var (
	legendWord    = regexp.MustCompile(`\{\{[^}]*\}\}|[A-Za-z_][\w:]*`)
	legendLabel   = regexp.MustCompile(`\{\{\s*([A-Za-z_]\w*)\s*\}\}`)
	templateLabel = regexp.MustCompile(`(?:\$labels\.|\.Labels\.|index\s+(?:\$labels|\.Labels)\s+")([A-Za-z_]\w*)`)
	fieldLabel    = regexp.MustCompile(`^/?\^?([A-Za-z_]\w*)\$?/?$|(?:labels|fields)\.([A-Za-z_]\w*)|\{\{\s*([A-Za-z_]\w*)\s*\}\}|([A-Za-z_]\w*)=~?\\?"`)
)

// Legend returns the edits of a legend of the query, which names labels as {{label}}, and metrics.
func (r *Result) Legend(text string) []document.Edit {
	edits := r.labelsIn(text, legendLabel)
	for _, at := range legendWord.FindAllStringIndex(text, -1) {
		if renamed, ok := r.Renames[text[at[0]:at[1]]]; ok {
			edits = append(edits, document.Replace(at[0], at[1], renamed))
		}
	}
	return edits
}

// IsExpression reports whether the name of a field, or a pattern of that name alone, is one that Grafana makes of a
// metric or of a query.
func IsExpression(field string) bool {
	_, err := promql.Parse(strings.TrimSuffix(strings.TrimPrefix(strings.Trim(field, "/"), "^"), "$"))
	return err == nil
}

// Template returns the edits of a template of a rule, which names labels as $labels.label.
func (r *Result) Template(text string) []document.Edit { return r.labelsIn(text, templateLabel) }

func (r *Result) labelsIn(text string, form *regexp.Regexp) (edits []document.Edit) {
	for _, at := range form.FindAllStringSubmatchIndex(text, -1) {
		if renamed, ok := r.Label(text[at[2]:at[3]]); ok {
			edits = append(edits, document.Replace(at[2], at[3], renamed))
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
