package conventions

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/conventions/layout"
	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
)

// MetricPrefix begins every metric name that a pack gives. The naming processor
// puts its own setting in its place.
const MetricPrefix = "tc_"

// Pack is what is known about one system.
type Pack struct {
	// System names the pack and labels what its rules change: lower_snake_case.
	System string `yaml:"system"`
	// Owns says which telemetry the pack's rules apply to.
	Owns Ownership `yaml:"owns"`
	// Metrics are the rules for metrics.
	Metrics MetricRules `yaml:"metrics"`
	// Spans are the rules for span names.
	Spans SpanRules `yaml:"spans"`
	// Logs are the rules for log records.
	Logs LogRules `yaml:"logs"`
	// Attributes are the rules for attributes, in all signals alike.
	Attributes []AttributeRule `yaml:"attributes"`
	// Links are the rules for links between spans.
	Links []linking.Rule `yaml:"links"`
	// Expect is what the system shows when it is at work.
	Expect Expectation `yaml:"expect"`
}

// Ownership says which telemetry belongs to a system. Any one match is enough.
type Ownership struct {
	// All telemetry: the pack is about names, whoever sends them.
	All bool `yaml:"all"`
	// Resource maps a resource attribute to the values that belong to the system.
	Resource map[string][]glob.Glob `yaml:"resource"`
	// Scopes are instrumentation scope names.
	Scopes []glob.Glob `yaml:"scopes"`
	// Metrics are original metric names that only this system sends.
	Metrics []glob.Glob `yaml:"metrics"`
	// Spans are original span names that only this system sends.
	Spans []*regexp.Regexp `yaml:"spans"`
}

// MetricRules are the rules for metrics. Names go by the most specific rule: a
// rule, then an exact rename, then the longest prefix.
type MetricRules struct {
	// Rules are tried in order; the first that matches decides what it says.
	Rules []MetricRule `yaml:"rules"`
	// Rename maps an exact original name to its conformant one.
	Rename map[string]string `yaml:"rename"`
	// Prefixes maps the beginning of a name to what replaces it. The rest of the
	// name is made conformant by the general rule.
	Prefixes map[string]string `yaml:"prefixes"`
	// Units maps a unit as sent to the UCUM unit that says the same, so that no
	// value has to change.
	Units map[string]string `yaml:"units"`
	// Gauges say how gauges come together when an attribute is removed from their
	// points. The first that matches decides.
	Gauges []GaugeRule `yaml:"gauges"`
}

// MetricRule repairs the metrics whose original name matches.
type MetricRule struct {
	// Match is searched in the original name; named groups are placeholders.
	Match *regexp.Regexp `yaml:"match"`
	// Rename is the conformant name, in which {group} stands for a group's text
	// in snake_case. Empty leaves the name to the other rules.
	Rename string `yaml:"rename"`
	// Attributes maps a data point attribute to the placeholder that fills it.
	Attributes map[string]Placeholder `yaml:"attributes"`
	// Type repairs the kind of metric.
	Type MetricType `yaml:"type"`
	// Unit is what the values are really measured in, in UCUM. A metric that states
	// a unit of the same dimension is believed.
	Unit string `yaml:"unit"`
	// Convert is the unit to convert the values to, from Unit or from the unit
	// that the metric states.
	Convert string `yaml:"convert"`
}

// MetricType is a kind of metric that a rule can ask for.
type MetricType string

// TypeCounter makes a gauge a cumulative monotonic sum.
const TypeCounter MetricType = "counter"

// GaugeRule says how some gauges come together. No aggregate of gauges is right
// for all, as sums are for counters.
type GaugeRule struct {
	// Match is the metric's name, conformant or original.
	Match glob.Glob `yaml:"match"`
	// Aggregate makes one value of those that come together.
	Aggregate GaugeAggregate `yaml:"aggregate"`
}

// GaugeAggregate makes one value of several gauges' values.
type GaugeAggregate string

// The aggregates that a rule can ask for; the zero value asks for none.
const (
	AggregateLast GaugeAggregate = "last" // the newest
	AggregateMin  GaugeAggregate = "min"
	AggregateMax  GaugeAggregate = "max"
	AggregateMean GaugeAggregate = "mean"
	AggregateSum  GaugeAggregate = "sum"
)

// LogRules are the rules for log records.
type LogRules struct {
	// Redact are texts that must not travel in a body.
	Redact []*regexp.Regexp `yaml:"redact"`
	// Formats are how the system writes its text logs, most specific first.
	Formats []LogFormat `yaml:"formats"`
}

// LogFormat is how the lines of a text log are written.
type LogFormat struct {
	// Name is lower_snake_case, and unique over all packs.
	Name string `yaml:"name"`
	// Lines are the layouts of lines that begin a record, tried in order.
	Lines []string `yaml:"lines"`
	// Joins adds a line that begins no record to the record before.
	Joins bool `yaml:"joins"`
	// Resource are resource attributes of whoever writes this format.
	Resource map[string]string `yaml:"resource"`
}

// Layouts reads the layouts of the format's lines. The error names the line.
func (f LogFormat) Layouts() ([]layout.Layout, error) {
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

func (f LogFormat) layout(line string) (layout.Layout, error) {
	read, err := layout.Parse(line)
	if err == nil && f.Joins && read[len(read)-1].Kind != layout.Body {
		err = errors.New("must end in {body}, which the lines that follow are added to: joins is true")
	}
	return read, err
}

// SpanRules are the rules for span names.
type SpanRules struct {
	// Components says which component a span belongs to when its name does not.
	Components Components `yaml:"components"`
	// Rules are tried in order; the first that matches decides.
	Rules []SpanRule `yaml:"rules"`
}

// Components maps what identifies a component to its name, most specific first:
// the rpc service, then the scope, then the default.
type Components struct {
	// Services maps rpc.service to a component.
	Services []ComponentRule `yaml:"services"`
	// Scopes maps an instrumentation scope's name to a component.
	Scopes []ComponentRule `yaml:"scopes"`
	// Default is the component of the system's other spans. Without it the
	// component is derived from the scope or from service.name.
	Default string `yaml:"default"`
}

// ComponentRule maps names to a component. Rules are tried in order.
type ComponentRule struct {
	Match     glob.Glob `yaml:"match"`
	Component string    `yaml:"component"`
}

// SpanRule rewrites the span names that match it.
type SpanRule struct {
	// Match is searched in the original name; named groups are the template's
	// placeholders.
	Match *regexp.Regexp `yaml:"match"`
	// Scope restricts the rule to one instrumentation scope.
	Scope *glob.Glob `yaml:"scope"`
	// Component is a component's name, or one placeholder such as {class}.
	Component string `yaml:"component"`
	// Operation is an operation's name, or one placeholder such as {method},
	// whose text is written in PascalCase without ids.
	Operation string `yaml:"operation"`
	// Attributes maps a span attribute to the placeholder that fills it. An
	// attribute that the span has already is left as it is.
	Attributes map[string]Placeholder `yaml:"attributes"`
}

// AttributeRule is what is known about one attribute key.
type AttributeRule struct {
	Key string `yaml:"key"`
	// Rename is the conformant key. The rule's other parts apply to it as well.
	Rename string `yaml:"rename"`
	// Type is the type that the values should have. A value of another type is
	// coerced where that loses nothing.
	Type ValueType `yaml:"type"`
	// Allowed are the only strings the values can be; another becomes "other".
	Allowed []string `yaml:"allowed"`
	// Sensitive values must not travel.
	Sensitive Sensitive `yaml:"sensitive"`
	// ID says that the values are ids, or as many as ids: an unbounded set. Data
	// points lose the attribute and their series are added up; spans and logs keep it.
	ID bool `yaml:"id"`
}

// ValueType is a type of attribute values.
type ValueType string

// The types that a rule can ask for; the zero value asks for none.
const (
	TypeString ValueType = "string"
	TypeInt    ValueType = "int"
	TypeDouble ValueType = "double"
	TypeBool   ValueType = "bool"
)

// Sensitive says what becomes of a value that must not travel.
type Sensitive string

// What can become of a sensitive value; the zero value says it is not sensitive.
const (
	// SensitiveRedact puts a fixed text in its place.
	SensitiveRedact Sensitive = "redact"
	// SensitiveRemove removes the attribute.
	SensitiveRemove Sensitive = "remove"
)

// Expectation is what a system shows when it is at work, so that what is missing can
// be found. Names are conformant ones.
type Expectation struct {
	// Metrics are globs; at least one metric of each comes.
	Metrics []glob.Glob `yaml:"metrics"`
	// Components are those that spans come from.
	Components []string `yaml:"components"`
	// Edges join components that traces go through.
	Edges []Edge `yaml:"edges"`
}

// Edge says that in a trace with a span of From, a span of To descends from one.
type Edge struct {
	From string `yaml:"from"`
	To   string `yaml:"to"`
}

// String returns the edge as a person writes it.
func (e Edge) String() string { return e.From + " -> " + e.To }

// Placeholder names a group of a rule's pattern. It is written {group}.
type Placeholder string

// Group returns the group's name, and whether the text is a placeholder at all.
func (p Placeholder) Group() (string, bool) {
	name, ok := strings.CutPrefix(string(p), "{")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, "}")
}

// placeholders finds the {group} parts of a template.
var placeholders = regexp.MustCompile(`\{(\w+)\}`)

// Placeholders returns the groups that a template names.
func Placeholders(template string) []string {
	var groups []string
	for _, m := range placeholders.FindAllStringSubmatch(template, -1) {
		groups = append(groups, m[1])
	}
	return groups
}
