// SPDX-License-Identifier: Apache-2.0

package places

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/prometheus/common/model"

	"github.com/otelcol-tc/otelcol-tc/internal/places/document"
)

// The queries of Grafana's template variables that are no PromQL. The first group of each is a query, a selector or a
// pattern of names, except that LabelsOnly has at most a label.
var (
	LabelValues  = regexp.MustCompile(`(?s)^\s*label_values\s*\(\s*(.*\S)\s*,\s*([A-Za-z_]\w*)\s*\)\s*$`)
	MetricsQuery = regexp.MustCompile(`(?s)^\s*metrics\s*\(\s*(.*?)\s*\)\s*$`)
	QueryResult  = regexp.MustCompile(`(?s)^\s*query_result\s*\((.*)\)\s*$`)
	LabelsOnly   = regexp.MustCompile(`^\s*(?:label_names\s*\(.*\)|label_values\s*\(\s*([^,]*?)\s*\))\s*$`)
)

// variable adds the query of a template variable, and reports whether the node is a variable.
func (f *finder) variable(node *document.Node, c context) bool {
	if spec := node.Get("spec"); spec != nil { // the second schema of dashboards
		if spec.Get("query") != nil && isProm(spec.Get("query", "group").String()) {
			f.queries(spec, c.titled("variable", spec.Get("name").String()).key("spec"), []string{"query", "spec", "query"}, []string{"definition"})
		}
		return true
	}
	name, kind := node.Get("name").String(), node.Get("type").String()
	c = c.titled("variable", name)
	if before, ok := f.Numbers[name]; name != "" {
		f.Numbers[name] = (before || !ok) && isNumber(kind, node.Get("query").String())
	}
	switch {
	case kind == "custom" || kind == "constant" || kind == "textbox":
		if query := node.Get("query"); query.String() != "" {
			f.add(Mention, query, c.key("query"))
		}
	case kind == "adhoc" && isProm(c.datasource):
		for i, filter := range node.Get("filters").Elements() {
			if key := filter.Get("key"); key.String() != "" {
				f.add(AnyLabel, key, c.key("filters").index(i).key("key"))
			}
		}
	case kind == "query" && isProm(c.datasource):
		f.queries(node, c, []string{"query"}, []string{"query", "query"}, []string{"definition"})
	default:
		return node.Get("type") != nil
	}
	return true
}

// isNumber reports whether a variable of a kind is a number or a duration: an interval is, and a list of nothing else.
func isNumber(kind, list string) bool {
	switch kind {
	case "interval":
		return true
	case "custom", "constant", "textbox":
	default:
		return false
	}
	for option := range strings.SplitSeq(list, ",") {
		if _, value, ok := strings.Cut(option, " : "); ok { // its text is another one
			option = value
		}
		option = strings.TrimSpace(option)
		_, err := strconv.ParseFloat(option, 64)
		if _, notDuration := model.ParseDuration(option); err != nil && notDuration != nil {
			return false
		}
	}
	return true
}

// queries adds the queries of a variable. Its regex applies to series in text form, which has labels.
func (f *finder) queries(node *document.Node, c context, paths ...[]string) {
	for _, keys := range paths {
		if query := node.Get(keys...); strings.TrimSpace(query.String()) != "" {
			place := f.add(Variable, query, c.key(strings.Join(keys, ".")))
			if regex := node.Get("regex"); regex.String() != "" {
				place.Fields = append(place.Fields, regex)
			}
		}
	}
}

// perses adds the queries of a plugin of Perses: those of panels, and of variables.
func (f *finder) perses(plugin *document.Node, c context) {
	spec := plugin.Get("spec")
	c = c.key("spec")
	switch plugin.Get("kind").String() {
	case "PrometheusTimeSeriesQuery":
		if query := spec.Get("query"); query.String() != "" {
			f.add(Query, query, c.key("query"))
		}
	case "PrometheusPromQLVariable": // has an expr
	case "PrometheusLabelValuesVariable", "PrometheusLabelNamesVariable":
		label := spec.Get("labelName")
		matchers := spec.Get("matchers").Elements()
		for i, matcher := range matchers {
			place := f.add(Series, matcher, c.key("matchers").index(i))
			place.Label = label.String()
		}
		if len(matchers) == 0 && label.String() != "" {
			f.add(AnyLabel, label, c.key("labelName"))
		}
	}
}
