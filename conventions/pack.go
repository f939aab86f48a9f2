// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/conventions/layout"
	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
)

// MetricPrefix is the prefix of every metric name in a pack. The naming processor replaces it by its own
// setting.
const MetricPrefix = "tc_"

// Pack holds the rules for one system.
type Pack struct {
	// System is the name of the pack and a label of its changes, in lower_snake_case.
	System string `yaml:"system"`
	// Owns selects the telemetry that the pack's rules apply to.
	Owns Ownership `yaml:"owns"`
	// Names is what the general rules do to the system's names.
	Names Names `yaml:"names"`
	// Metrics are the rules for metrics.
	Metrics MetricRules `yaml:"metrics"`
	// Spans are the rules for span names.
	Spans SpanRules `yaml:"spans"`
	// Logs are the rules for log records.
	Logs LogRules `yaml:"logs"`
	// Attributes are the rules for attributes of all signals.
	Attributes []AttributeRule `yaml:"attributes"`
	// Messages are the rules for lists of messages whose fields are attributes of their own.
	Messages []MessageRule `yaml:"messages"`
	// Links are the rules for links between spans.
	Links []linking.Rule `yaml:"links"`
	// Owner is the rule for attributes that are the current owner of what is measured, or nil.
	Owner *OwnerRule `yaml:"owner"`
	// Expect is the telemetry that a running system sends.
	Expect Expectation `yaml:"expect"`
}

// MetricRules are the rules for metrics. The most specific one applies: a rule, then an exact rename, then
// the longest prefix.
type MetricRules struct {
	// Rules are tried in order. The first that matches applies.
	Rules []MetricRule `yaml:"rules"`
	// Rename maps an exact original name to the conformant name.
	Rename map[string]string `yaml:"rename"`
	// Prefixes maps the beginning of a name to its replacement. The general rule makes the rest of the
	// name conformant.
	Prefixes map[string]string `yaml:"prefixes"`
	// Units maps a unit to the equivalent UCUM unit, without a change of values.
	Units map[string]string `yaml:"units"`
	// Gauges are the aggregates for gauges when an attribute is removed from their points. The first rule
	// that matches applies.
	Gauges []GaugeRule `yaml:"gauges"`
	// Also are the copies of metrics under other names. Of the rules with one name, the first that selects a
	// point applies to it.
	Also []AlsoRule `yaml:"also"`
}

// MetricRule repairs the metrics whose original name matches.
type MetricRule struct {
	// Match is searched in the original name. Named groups are placeholders.
	Match *regexp.Regexp `yaml:"match"`
	// Rename is the conformant name. {group} is replaced by the group's text in snake_case. If it is
	// empty, the other rules decide the name.
	Rename string `yaml:"rename"`
	// Attributes maps a data point attribute to the placeholder with its value.
	Attributes map[string]Placeholder `yaml:"attributes"`
	// Type is the correct kind of metric.
	Type MetricType `yaml:"type"`
	// Unit is the real unit of the values, in UCUM. If the metric has a unit of the same dimension, that
	// unit is used.
	Unit string `yaml:"unit"`
	// Convert is the unit that the values are converted to, from Unit or from the metric's unit.
	Convert string `yaml:"convert"`
}

// MetricType is a kind of metric that a rule can set.
type MetricType string

// TypeCounter changes a gauge to a cumulative monotonic sum.
const TypeCounter MetricType = "counter"

// GaugeRule sets the aggregate of some gauges. Unlike for counters, no aggregate is right for all gauges.
type GaugeRule struct {
	// Match matches the metric's conformant or original name.
	Match glob.Glob `yaml:"match"`
	// Aggregate is the aggregate of the values.
	Aggregate GaugeAggregate `yaml:"aggregate"`
}

// GaugeAggregate combines the values of several gauge points into one.
type GaugeAggregate string

// The aggregates that a rule can set. The zero value means none.
const (
	AggregateLast GaugeAggregate = "last" // the newest value
	AggregateMin  GaugeAggregate = "min"
	AggregateMax  GaugeAggregate = "max"
	AggregateMean GaugeAggregate = "mean"
	AggregateSum  GaugeAggregate = "sum"
)

// LogRules are the rules for log records.
type LogRules struct {
	// Redact are the patterns of texts that are removed from bodies.
	Redact []*regexp.Regexp `yaml:"redact"`
	// Prefixes are the layouts of what may stand before each line of the system's text logs, also before
	// lines that continue a record. They are tried in order.
	Prefixes []string `yaml:"prefixes"`
	// Formats are the formats of the system's text logs, most specific first.
	Formats []LogFormat `yaml:"formats"`
	// DedupWindow is how far apart the records come that several handlers of a program send for one event.
	// The zero value means that each event is sent once.
	DedupWindow time.Duration `yaml:"dedup_window"`
}

// LogFormat is the format of a text log.
type LogFormat struct {
	// Name is in lower_snake_case, and unique in all packs.
	Name string `yaml:"name"`
	// Lines are the layouts of the first lines of records, tried in order.
	Lines []string `yaml:"lines"`
	// Second is the layout of the second line of each record, if records begin with two lines.
	Second string `yaml:"second"`
	// Joins appends a line that starts no record to the record before it.
	Joins bool `yaml:"joins"`
	// RepeatsHead means that each line of a record begins with what is before the body of the first one. The lines
	// of a stack trace are appended without it.
	RepeatsHead bool `yaml:"repeats_head"`
	// Resource are resource attributes of the programs that write this format.
	Resource map[string]string `yaml:"resource"`
}

// Layouts parses the layouts of the format's lines. The error names the line.
func (f LogFormat) Layouts() ([]layout.Layout, error) {
	if f.RepeatsHead && (!f.Joins || f.Second != "") {
		return nil, errors.New("repeats_head: joins must be true, and second must be absent")
	}
	layouts := make([]layout.Layout, len(f.Lines))
	for i, line := range f.Lines {
		read, err := f.layout(line)
		if err != nil {
			return nil, fmt.Errorf("lines.%d: %w", i, err)
		}
		layouts[i] = read
	}
	return layouts, nil
}

// SecondLayout parses the layout of the second line, or returns nil without one.
func (f LogFormat) SecondLayout() (layout.Layout, error) {
	if f.Second == "" {
		return nil, nil
	}
	read, err := layout.Parse(f.Second)
	switch {
	case err != nil:
	case !f.Joins:
		err = errors.New("joins must be true")
	case !read.EndsInBody():
		err = errors.New("must end in {body}")
	}
	if err != nil {
		return nil, fmt.Errorf("second: %w", err)
	}
	return read, nil
}

func (f LogFormat) layout(line string) (layout.Layout, error) {
	read, err := layout.Parse(line)
	if err == nil && f.Joins && f.Second == "" && !read.EndsInBody() {
		err = errors.New("must end in {body}, which the lines that follow are added to: joins is true")
	}
	return read, err
}

// SpanRules are the rules for span names.
type SpanRules struct {
	// Components derives a span's component if its name does not contain it.
	Components Components `yaml:"components"`
	// Rules are tried in order. The first that matches applies.
	Rules []SpanRule `yaml:"rules"`
}

// Components maps identifiers to component names, most specific first: the rpc service, then the scope,
// then the default.
type Components struct {
	// Services maps rpc.service to a component.
	Services []ComponentRule `yaml:"services"`
	// Scopes maps an instrumentation scope's name to a component.
	Scopes []ComponentRule `yaml:"scopes"`
	// Default is the component of the system's remaining spans. Without it, the component is derived from
	// the scope or from service.name.
	Default string `yaml:"default"`
}

// ComponentRule maps names to a component. Rules are tried in order.
type ComponentRule struct {
	Match     glob.Glob `yaml:"match"`
	Component string    `yaml:"component"`
}

// SpanRule rewrites the span names that match it.
type SpanRule struct {
	// Match is searched in the original name. Named groups are placeholders.
	Match *regexp.Regexp `yaml:"match"`
	// Scope restricts the rule to one instrumentation scope.
	Scope *glob.Glob `yaml:"scope"`
	// Component is a component's name, or one placeholder such as {class}.
	Component string `yaml:"component"`
	// Operation is an operation's name, or one placeholder such as {method}. The placeholder's text is
	// written in PascalCase without ids.
	Operation string `yaml:"operation"`
	// Attributes maps a span attribute to the placeholder with its value. Existing attributes stay
	// unchanged.
	Attributes map[string]Placeholder `yaml:"attributes"`
}

// AttributeRule is the rule for one attribute key.
type AttributeRule struct {
	Key string `yaml:"key"`
	// Rename is the conformant key. The rest of the rule applies to it too.
	Rename string `yaml:"rename"`
	// Type is the correct type of the values. Other values are converted if no information is lost.
	Type ValueType `yaml:"type"`
	// Allowed lists all possible strings. Other values become "other".
	Allowed []string `yaml:"allowed"`
	// Sensitive decides how sensitive values are removed.
	Sensitive Sensitive `yaml:"sensitive"`
	// ID means that the set of values is unbounded. Data points lose the attribute and their series are
	// merged, while spans and logs keep it.
	ID bool `yaml:"id"`
	// Also are the copies of the attribute under other keys. Metrics and resources have none.
	Also AttributeCopies `yaml:"also"`
	// AlsoFields are the copies of fields of the values, which are JSON objects as text, or maps.
	AlsoFields FieldCopies `yaml:"also_fields"`
	// IDOnly matches the metrics whose points lose the attribute, or the metrics that they are copies of. Without
	// it all do.
	IDOnly []glob.Glob `yaml:"id_only"`
	// IDExcept matches the metrics whose points keep the attribute all the same. Copies of them lose it.
	IDExcept []glob.Glob `yaml:"id_except"`
	// IDSeen matches the metrics that are known to have the attribute. Without it all can have it. It decides nothing:
	// migrate lists the queries that need the attribute.
	IDSeen []glob.Glob `yaml:"id_seen"`
}

// IDOf reports whether points of a metric lose the attribute. Names are those of the metric, original and conformant.
func (r *AttributeRule) IDOf(names ...string) bool {
	return r.ID && r.inScope(names) && !slices.ContainsFunc(names, glob.List(r.IDExcept).Match)
}

// IDOfCopy reports whether points of a copy lose the attribute. What the metric keeps for its dashboards, copies of
// it do not need.
func (r *AttributeRule) IDOfCopy(copies, metric []string) bool {
	return r.ID && (r.inScope(copies) || r.inScope(metric)) && !slices.ContainsFunc(copies, glob.List(r.IDExcept).Match)
}

// inScope reports whether IDOnly, if it is stated, matches one of the names.
func (r *AttributeRule) inScope(names []string) bool {
	return r.IDOnly == nil || slices.ContainsFunc(names, glob.List(r.IDOnly).Match)
}

// ValueType is a type of attribute values.
type ValueType string

// The types that a rule can set. The zero value means none.
const (
	TypeString ValueType = "string"
	TypeInt    ValueType = "int"
	TypeDouble ValueType = "double"
	TypeBool   ValueType = "bool"
	// TypeStrings is a list of strings. Only copies have it.
	TypeStrings ValueType = "string[]"
)

// Sensitive is the treatment of sensitive values.
type Sensitive string

// The treatments of sensitive values. The zero value means that values are not sensitive.
const (
	// SensitiveRedact replaces the value by a fixed text.
	SensitiveRedact Sensitive = "redact"
	// SensitiveRemove removes the attribute.
	SensitiveRemove Sensitive = "remove"
)

// Expectation is the telemetry that a running system sends. Missing telemetry is reported. Names are
// conformant names.
type Expectation struct {
	// Metrics are globs. At least one metric matches each of them.
	Metrics []glob.Glob `yaml:"metrics"`
	// Components are the components of the system's spans.
	Components []string `yaml:"components"`
	// Edges are the edges between components in traces.
	Edges []Edge `yaml:"edges"`
}

// Edge expects that a trace with a span of From has a span of To among the descendants of such a span.
type Edge struct {
	From string `yaml:"from"`
	To   string `yaml:"to"`
}

// String returns the edge as a person writes it.
func (e Edge) String() string { return e.From + " -> " + e.To }

// Placeholder is a group of a rule's pattern, written as {group}.
type Placeholder string

// Group returns the group's name, and whether the text is a placeholder.
func (p Placeholder) Group() (string, bool) {
	name, ok := strings.CutPrefix(string(p), "{")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, "}")
}

// placeholders matches the {group} parts of a template.
var placeholders = regexp.MustCompile(`\{(\w+)\}`)

// Placeholders returns the groups in a template.
func Placeholders(template string) []string {
	var groups []string
	for _, m := range placeholders.FindAllStringSubmatch(template, -1) {
		groups = append(groups, m[1])
	}
	return groups
}
