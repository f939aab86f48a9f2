// Package linking describes which spans belong together although no parent joins them.
// The rules are data: processors find the spans.
package linking

import (
	"strings"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
)

// Rule describes spans that have one key, each at its stage of the work.
type Rule struct {
	// Name is unique over all packs, and labels what the rule links.
	Name string `yaml:"name"`
	// Key is what the spans of all stages have in common.
	Key *Key `yaml:"key"`
	// Scope are attributes, such as deployment.environment.name, that are part of the
	// key: equal keys of two scopes never meet.
	Scope []string `yaml:"scope"`
	// From and To are the earlier and the later stage. Without To nothing is linked,
	// and logs alone make use of the key.
	From *Stage `yaml:"from"`
	To   *Stage `yaml:"to"`
	// Stages are several, earlier to later, in place of From and To. Each is linked to
	// the one before.
	Stages []Stage `yaml:"stages"`
	// Window is how far apart spans can start. The zero value is the index's.
	Window time.Duration `yaml:"window"`
	// Topology says how many spans of each stage one key has.
	Topology Topology `yaml:"topology"`
	// Overlap asks for spans that are under way at the same time.
	Overlap bool `yaml:"overlap"`
	// SameTrace says which spans of one trace are linked.
	SameTrace SameTrace `yaml:"same_trace"`
	// Hold is how long a span waits for an earlier stage that has not come.
	Hold time.Duration `yaml:"hold"`
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

// Key is where a span has a key: one of the attributes, or All.
type Key struct {
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

// Apply returns a key's value without what is no part of it. Integers stay text.
func (n Normalise) Apply(text string) string {
	text = strings.TrimSpace(text)
	for _, prefix := range n.Prefixes {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			text = rest
			break
		}
	}
	for again := true; again; {
		again = false
		for _, suffix := range n.NumberedSuffixes {
			rest := strings.TrimRight(text, "0123456789")
			if shorter, ok := strings.CutSuffix(rest, suffix); ok && len(rest) < len(text) {
				text, again = shorter, true
			}
		}
	}
	return text
}

// Stage describes the spans of one stage: all that it says must fit.
type Stage struct {
	// SpanName are the span's names.
	SpanName glob.List `yaml:"span_name"`
	// Kind is the span's kind.
	Kind SpanKind `yaml:"kind"`
	// Service is the resource's service.name.
	Service *glob.Glob `yaml:"service"`
	// Attributes are of the resource or, where it has none, of the span.
	Attributes map[string]glob.Glob `yaml:"attributes"`
	// Key is where the spans of this stage have the key, if that is not the rule's.
	Key *Key `yaml:"key"`
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

// keyPlaceholder stands for the key in a log's body.
const keyPlaceholder = "{key}"

// BodyAround returns the text before and after the key in Body.
func (l LogKey) BodyAround() (before, after string) {
	before, after, _ = strings.Cut(l.Body, keyPlaceholder)
	return before, after
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
