package promql

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/edit"
	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/names"
)

// The queries of Grafana's template variables.
var (
	labelValues  = regexp.MustCompile(`(?s)^\s*label_values\s*\(\s*(.*\S)\s*,\s*([A-Za-z_]\w*)\s*\)\s*$`)
	metricsQuery = regexp.MustCompile(`(?s)^\s*metrics\s*\(\s*(.*?)\s*\)\s*$`)
	queryResult  = regexp.MustCompile(`(?s)^\s*query_result\s*\((.*)\)\s*$`)
	labelsOnly   = regexp.MustCompile(`^\s*(?:label_names\s*\(.*\)|label_values\s*\([^,]*\))\s*$`)
)

// RewriteVariable decides the query of a template variable of Grafana.
func RewriteVariable(query string, by Names) Result {
	if labelsOnly.MatchString(query) {
		return Result{} // of all metrics
	}
	if at := labelValues.FindStringSubmatchIndex(query); at != nil {
		result := Rewrite(query[at[2]:at[3]], by)
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
	templateLabel = regexp.MustCompile(`\$labels\.([A-Za-z_]\w*)|\.Labels\.([A-Za-z_]\w*)`)
)

// Legend returns the edits of a legend of the query, which names labels as {{label}}.
func (r *Result) Legend(text string) []edit.Edit { return r.labelsIn(text, legendLabel) }

// Template returns the edits of a template of a rule, which names labels as $labels.label.
func (r *Result) Template(text string) []edit.Edit { return r.labelsIn(text, templateLabel) }

func (r *Result) labelsIn(text string, form *regexp.Regexp) (edits []edit.Edit) {
	for _, at := range form.FindAllStringSubmatchIndex(text, -1) {
		start, end := at[2], at[3]
		if start < 0 {
			start, end = at[4], at[5]
		}
		if renamed, ok := r.Label(text[start:end]); ok {
			edits = append(edits, edit.Replace(start, end, renamed))
		}
	}
	return edits
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
