// SPDX-License-Identifier: Apache-2.0

// Package places finds the queries in dashboards, rules and Kubernetes objects, and the names of
// labels that depend on them.
package places

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/places/document"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
)

// Kind is the kind of a place.
type Kind uint8

// The kinds.
const (
	Query        Kind = iota // PromQL
	Series                   // PromQL that selects series, of prometheus-adapter
	Variable                 // the query of a template variable of Grafana
	MetricName               // the name of a metric
	Label                    // the name of a label of a metric
	AnyLabel                 // the name of a label of all metrics
	Mention                  // a text that can have names of metrics
	Library                  // the uid of a library panel of Grafana, which is elsewhere
	LibraryPanel             // the uid of a library panel that is here
)

// Place is a text that depends on names.
type Place struct {
	Kind Kind
	Node *document.Node
	// Path is the keys that lead to the text.
	Path string
	// Title is what the text belongs to, for people.
	Title string
	// Metric is the metric that a label belongs to.
	Metric string
	// Label is the label whose values are asked of series, or empty.
	Label string
	// Legends and Templates are texts for people that name labels of the query's result.
	Legends, Templates []*document.Node
	// Fields are texts that can name metrics and labels of the query's result in other ways.
	Fields []*document.Node
	// Matches are the patterns of names in a rule of prometheus-adapter, and MetricsQuery is its query, or nil.
	Matches      []*document.Node
	MetricsQuery *Place
	// Record is the name of a recording rule, or empty.
	Record string
	// Labels are the labels that a rule sets. It is nil elsewhere.
	Labels map[string]bool
}

// Found is what the documents of a file have.
type Found struct {
	Places []*Place
	// Named are the names that prometheus-adapter gives metrics.
	Named []string
	// Numbers has the template variables of Grafana, and whether each is a number or a duration whatever is chosen.
	Numbers map[string]bool
	// Faults are embedded documents that cannot be read.
	Faults []Fault
}

// Fault is a part of a file that cannot be read.
type Fault struct {
	Node *document.Node
	Path string
	Err  error
}

// Find finds the places in documents.
func Find(documents []*document.Node) *Found {
	f := &finder{Found: &Found{Numbers: map[string]bool{}}}
	for i, root := range documents {
		path := ""
		if len(documents) > 1 {
			path = fmt.Sprintf("document %d: ", i+1)
		}
		f.document(root, context{path: path})
	}
	return f.Found
}

// finder finds the places of one file.
type finder struct {
	*Found
	depth int // of documents in documents
}

// context is what is known at a node from those around it.
type context struct {
	path       string
	title      string
	datasource string            // its type, or empty if it is unknown
	inputs     map[string]string // the types of a dashboard's inputs
	variables  bool              // in the list of template variables
	fields     []*document.Node  // of the panel or the alerting rule of Grafana
}

func (c context) key(key string) context {
	if c.path != "" && !strings.HasSuffix(c.path, ": ") {
		c.path += "."
	}
	c.path += key
	return c
}

func (c context) index(i int) context {
	c.path += fmt.Sprintf("[%d]", i)
	return c
}

func (c context) titled(what, title string) context {
	if title != "" {
		c.title = strings.TrimSpace(what + " " + title)
	}
	return c
}

func (f *finder) add(kind Kind, node *document.Node, c context) *Place {
	place := &Place{Kind: kind, Node: node, Path: c.path, Title: c.title}
	f.Places = append(f.Places, place)
	return place
}

// document finds the places of a document by its kind.
func (f *finder) document(root *document.Node, c context) {
	switch root.Get("kind").String() {
	case "HorizontalPodAutoscaler":
		f.autoscaler(root, c.titled("autoscaler", root.Get("metadata", "name").String()))
	case "ScaledObject", "ScaledJob":
		f.scaledObject(root, c.titled("scaled object", root.Get("metadata", "name").String()))
	case "ConfigMap":
		f.files(root, c.titled("config map", root.Get("metadata", "name").String()))
	case "List", "ConfigMapList", "PrometheusRuleList":
		for i, item := range root.Get("items").Elements() {
			f.document(item, c.key("items").index(i))
		}
	default:
		f.walk(root, c)
	}
}

// walk finds queries by their key, wherever they are.
func (f *finder) walk(node *document.Node, c context) {
	switch node.Kind {
	case document.List:
		for i, item := range node.Items {
			f.walk(item, c.index(i))
		}
	case document.Object:
		c = c.within(node)
		if (c.variables || node.Get("kind").String() == "QueryVariable") && f.variable(node, c) {
			return
		}
		f.query(node, c)
		f.perses(node, c)
		f.adapterRule(node, c)
		f.withoutQuery(node, c)
		f.library(node, c)
		for i, key := range node.Keys {
			inner := c.key(key.Text)
			inner.variables = key.Text == "list" && strings.HasSuffix(c.path, "templating")
			if key.Text == "json" && isJSON(node.Items[i]) {
				f.embedded(node.Items[i], inner)
			}
			f.walk(node.Items[i], inner)
		}
	}
}

// within returns the context inside of an object.
func (c context) within(node *document.Node) context {
	if inputs := node.Get("__inputs"); inputs != nil {
		c.inputs = map[string]string{}
		for _, input := range inputs.Elements() {
			c.inputs[input.Get("name").String()] = input.Get("pluginId").String()
		}
	}
	if source := node.Get("datasource"); source != nil {
		c.datasource = c.typeOf(source)
	}
	c.fields = append(slices.Clip(c.fields), append(fieldsOf(node), annotationsOf(node)...)...)
	if title := node.Get("title").String(); title != "" && (node.Get("targets") != nil || node.Get("model") != nil) {
		c = c.titled("panel", title)
	} else if title != "" && node.Get("panels") != nil && c.title == "" {
		c = c.titled("dashboard", title)
	}
	return c.titled("alert", node.Get("alert").String()).titled("rule", node.Get("record").String())
}

// typeOf returns the type of a data source: {type: prometheus, uid: ...}, or its name.
func (c context) typeOf(source *document.Node) string {
	if stated := source.Get("type").String(); stated != "" {
		return stated
	}
	name := source.String() + source.Get("uid").String()
	return c.inputs[strings.TrimSuffix(strings.TrimPrefix(name, "${"), "}")]
}

// promSources matches the types of data sources that understand PromQL, and that of Grafana's own.
var promSources = regexp.MustCompile(`prometheus|mimir|thanos|cortex|victoriametrics|datasource`)

// isProm reports whether a data source, whose type can be unknown, can understand PromQL.
func isProm(source string) bool { return source == "" || promSources.MatchString(source) }

// query adds the query of a panel, a rule or an annotation.
func (f *finder) query(node *document.Node, c context) {
	expr := node.Get("expr")
	if strings.TrimSpace(expr.String()) == "" || !isProm(c.datasource) || promql.IsLogQL(expr.Text) {
		return
	}
	place := f.add(Query, expr, c.key("expr"))
	place.Fields = c.fields
	place.Record = node.Get("record").String()
	for _, key := range []string{"legendFormat", "titleFormat", "textFormat", "tagKeys"} {
		if legend := node.Get(key); legend.String() != "" {
			place.Legends = append(place.Legends, legend)
		}
	}
	isAlert := node.Get("alert") != nil
	if !isAlert && place.Record == "" {
		return
	}
	place.Labels = map[string]bool{}
	if labels := node.Get("labels"); labels != nil {
		for _, key := range labels.Keys {
			place.Labels[key.Text] = true
		}
	}
	if !isAlert {
		return
	}
	place.Templates = texts(texts(nil, node.Get("labels"), false), node.Get("annotations"), false)
	for _, text := range place.Templates {
		if templateQuery.MatchString(text.Text) {
			f.add(Mention, text, c)
		}
	}
}

// library adds a library panel: a dashboard mostly has its uid only.
func (f *finder) library(node *document.Node, c context) {
	if uid := node.Get("libraryPanel", "uid"); uid.String() != "" && node.Get("targets") == nil {
		f.add(Library, uid, c.titled("panel", node.Get("title").String()).key("libraryPanel.uid"))
	}
	if uid := node.Get("uid"); uid.String() != "" && node.Get("model") != nil {
		f.add(LibraryPanel, uid, c.key("uid"))
	}
}

// withoutQuery adds the fields of a panel that shows the results of another one.
func (f *finder) withoutQuery(panel *document.Node, c context) {
	hasQuery := func(target *document.Node) bool { return target.Get("expr") != nil }
	if targets := panel.Get("targets"); targets != nil && !slices.ContainsFunc(targets.Elements(), hasQuery) {
		for _, field := range fieldsOf(panel) {
			f.add(Mention, field, c)
		}
	}
}

// templateQuery matches a query in a template: {{ with query "..." }}.
var templateQuery = regexp.MustCompile(`\{\{(?:[^}]|\}[^}])*\bquery\b`)

// adapterRule adds the queries of a rule of prometheus-adapter. Metrics that it names itself are none of the
// collector's.
func (f *finder) adapterRule(node *document.Node, c context) {
	if node.Get("seriesQuery") == nil {
		return
	}
	if as := node.Get("name", "as").String(); as != "" {
		f.Named = append(f.Named, as)
	}
	query := node.Get("seriesQuery")
	if query.String() == "" {
		return
	}
	place := f.add(Series, query, c.key("seriesQuery"))
	patterns := []*document.Node{node.Get("name", "matches")}
	for _, filter := range node.Get("seriesFilters").Elements() {
		patterns = append(patterns, filter.Get("is"), filter.Get("isNot"))
	}
	place.Matches = slices.DeleteFunc(patterns, func(pattern *document.Node) bool { return pattern.String() == "" })
	if query := node.Get("metricsQuery"); query.String() != "" {
		place.MetricsQuery = &Place{Kind: Query, Node: query, Path: c.key("metricsQuery").path, Title: c.title}
	}
}

// maxEmbedded bounds documents in documents.
const maxEmbedded = 4

// embedded finds the places of a document in a string.
func (f *finder) embedded(node *document.Node, c context) {
	if f.depth >= maxEmbedded {
		return
	}
	documents, err := node.Embedded()
	if err != nil {
		f.Faults = append(f.Faults, Fault{node, c.path, err})
		return
	}
	f.depth++
	defer func() { f.depth-- }()
	for _, root := range documents {
		f.document(root, context{path: c.path + ": ", title: c.title})
	}
}
