package conventions

import (
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"
)

// LinkRule says which spans belong together although no parent joins them: those that
// have one key, each at its stage of the work.
type LinkRule struct {
	// Name is unique over all packs, and labels what the rule links.
	Name string `yaml:"name"`
	// Key is what the spans of all stages have in common.
	Key *LinkKey `yaml:"key"`
	// Scope are attributes, such as deployment.environment.name, that are part of the
	// key: equal keys of two scopes never meet.
	Scope []string `yaml:"scope"`
	// From and To are the earlier and the later stage. Without To nothing is linked,
	// and logs alone make use of the key.
	From *LinkStage `yaml:"from"`
	To   *LinkStage `yaml:"to"`
	// Stages are several, earlier to later, in place of From and To. Each is linked to
	// the one before.
	Stages []LinkStage `yaml:"stages"`
	// Window is how far apart spans can start. The zero value is the index's.
	Window Duration `yaml:"window"`
	// Topology says how many spans of each stage one key has.
	Topology Topology `yaml:"topology"`
	// Overlap asks for spans that are under way at the same time.
	Overlap bool `yaml:"overlap"`
	// SameTrace says which spans of one trace are linked.
	SameTrace SameTrace `yaml:"same_trace"`
	// Hold is how long a span waits for an earlier stage that has not come.
	Hold Duration `yaml:"hold"`
	// OnLate says what becomes of an earlier stage that comes when the later one is
	// gone.
	OnLate OnLate `yaml:"on_late"`
	// MaxMembers is how many spans can have one key before it counts as none. The zero
	// value is the topology's.
	MaxMembers int `yaml:"max_members"`
	// KeyValue asks for the key's value on the links.
	KeyValue bool `yaml:"key_value"`
	// Logs are where logs have the key. One without ids belongs to the span that has it.
	Logs []LogKey `yaml:"logs"`
}

// LinkKey is where a span has a key: one of the attributes, or All.
type LinkKey struct {
	SpanAttribute     string `yaml:"span_attribute"`
	ResourceAttribute string `yaml:"resource_attribute"`
	EventAttribute    string `yaml:"event_attribute"`
	// All are parts that make the key together.
	All []KeyPart `yaml:"all"`
	// Normalise makes values alike that mean the same.
	Normalise Normalise `yaml:"normalise"`
}

// KeyPart is where a span has a part of a key: one of the attributes.
type KeyPart struct {
	SpanAttribute     string    `yaml:"span_attribute"`
	ResourceAttribute string    `yaml:"resource_attribute"`
	Normalise         Normalise `yaml:"normalise"`
}

// Normalise says what is no part of a key's value.
type Normalise struct {
	// Prefixes are removed, the first that fits.
	Prefixes []string `yaml:"prefixes"`
	// NumberedSuffixes are removed with the digits that follow, as often as there are any.
	NumberedSuffixes []string `yaml:"numbered_suffixes"`
	// Integer makes 31, "31" and "0x1f" alike.
	Integer bool `yaml:"integer"`
}

// LinkStage tells the spans of one stage.
type LinkStage struct {
	// SpanName are the span's names.
	SpanName Globs `yaml:"span_name"`
	// Kind is the span's kind.
	Kind SpanKind `yaml:"kind"`
	// Service is the resource's service.name.
	Service *Glob `yaml:"service"`
	// Attributes are of the resource or, where it has none, of the span.
	Attributes map[string]Glob `yaml:"attributes"`
	// Key is where the spans of this stage have the key, if that is not the rule's.
	Key *LinkKey `yaml:"key"`
	// Logs are where logs have the key that stand for the spans they were written in.
	// Such a stage has nothing else.
	Logs []LogKey `yaml:"logs"`
}

// LogKey is where a log record has a key: one of the two.
type LogKey struct {
	Attribute string `yaml:"attribute"`
	// Body is the text of the body in which {key} stands for the value, up to the text
	// that follows it.
	Body string `yaml:"body"`
	// IDs says what a log without ids gets. It is for the logs of a rule.
	IDs LogIDs `yaml:"ids"`
}

// Topology is how many spans of each stage have one key.
type Topology string

// The topologies.
const (
	TopologyPair  Topology = "pair"   // one and one; the default
	TopologyStar  Topology = "star"   // one, then many
	TopologyFanIn Topology = "fan_in" // many, then one
	// TopologyChain is for stages that follow each other or, with From and To, for
	// spans that follow each other in time.
	TopologyChain Topology = "chain"
)

// SameTrace says which spans of one trace are linked.
type SameTrace string

// Which spans of one trace are linked.
const (
	// SameTraceUnrelated is for those of which neither is known to be an ancestor of the
	// other; the default.
	SameTraceUnrelated SameTrace = "unrelated"
	SameTraceNever     SameTrace = "never"
	SameTraceAlways    SameTrace = "always"
)

// OnLate says what becomes of an earlier stage that comes last.
type OnLate string

// What becomes of an earlier stage that comes last.
const (
	OnLateReverse OnLate = "reverse" // it carries the link; the default
	OnLateCount   OnLate = "count"   // it is counted
)

// LogIDs says what a log without ids gets.
type LogIDs string

// What a log without ids gets.
const (
	LogIDsSpan  LogIDs = "span"  // the trace id and the span id; the default
	LogIDsTrace LogIDs = "trace" // the trace id: the log was written somewhere in the span's trace
)

// SpanKind is a kind of span in lower case.
type SpanKind string

// SpanKinds are the kinds that a stage can ask for, in the order of OTLP's numbers from 1.
var SpanKinds = []SpanKind{"internal", "server", "client", "producer", "consumer"}

// Globs match what one of them matches. They are written as one or as a list.
type Globs []Glob

// Match tells whether one of the globs covers the whole of name.
func (gs Globs) Match(name string) bool {
	for _, g := range gs {
		if g.Match(name) {
			return true
		}
	}
	return false
}

// UnmarshalYAML reads a scalar or a list of scalars.
func (gs *Globs) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*gs = Globs{NewGlob(node.Value)}
		return nil
	}
	var list []Glob
	if err := node.Decode(&list); err != nil {
		return err
	}
	*gs = list
	return nil
}

// Duration is a time.Duration that is written as Go writes it: 10m, 1h30m.
type Duration time.Duration

// UnmarshalYAML reads a duration from a scalar.
func (d *Duration) UnmarshalYAML(node *yaml.Node) error {
	parsed, err := time.ParseDuration(node.Value)
	if err != nil {
		return &lineError{node.Line, fmt.Errorf("duration %q: %w", node.Value, err)}
	}
	*d = Duration(parsed)
	return nil
}
