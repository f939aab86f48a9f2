// SPDX-License-Identifier: Apache-2.0

// Package linking contains the rules for links between spans that have no parent in common. The rules are
// data, which processors apply.
package linking

import (
	"strings"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
)

// Rule links spans with equal keys at different stages of the work.
type Rule struct {
	// Name is unique in all packs. It is a label of the rule's links.
	Name string `yaml:"name"`
	// Key is the key that the spans of all stages have.
	Key *Key `yaml:"key"`
	// Scope are attributes that are part of the key, such as deployment.environment.name. Equal keys in
	// different scopes are not linked.
	Scope []string `yaml:"scope"`
	// From and To are the earlier and the later stage. A rule without To links no spans, and only logs use
	// the key.
	From *Stage `yaml:"from"`
	To   *Stage `yaml:"to"`
	// Stages replaces From and To by more stages, from earlier to later. Each stage is linked to the
	// previous one.
	Stages []Stage `yaml:"stages"`
	// Window is the maximum time between the starts of spans. The zero value means the index's setting.
	Window time.Duration `yaml:"window"`
	// Topology is the number of spans with the same key at each stage.
	Topology Topology `yaml:"topology"`
	// Overlap links only spans that overlap in time.
	Overlap bool `yaml:"overlap"`
	// SameTrace selects which spans of the same trace are linked.
	SameTrace SameTrace `yaml:"same_trace"`
	// Hold is how long a span waits for a missing earlier stage.
	Hold time.Duration `yaml:"hold"`
	// MaxMembers is the maximum number of spans with the same key. A key with more spans is ignored. The
	// zero value means the topology's default.
	MaxMembers int `yaml:"max_members"`
	// KeyValue adds the key's value to the links.
	KeyValue bool `yaml:"key_value"`
	// Logs are the places of the key in logs. A log without ids gets those of the span with the key.
	Logs []LogKey `yaml:"logs"`
	// SameProcess gives logs only the ids of spans of their own process where requests are split: traces of several
	// processes share a key. Where none is, a log gets the only trace of its key.
	SameProcess bool `yaml:"same_process"`
	// Split are attributes of spans that show a split request. Two traces with one key show it, too.
	Split map[string]glob.List `yaml:"split"`
	// Threads are spans that state a process or thread id (tc.thread.pid) and no key. They have it from their trace.
	Threads *Stage `yaml:"threads"`
	// Roles are the words by which the parts of split requests are called. The path of a log file, and the resource or
	// the name of a thread, have one.
	Roles []string `yaml:"roles"`
}

// Key is the place of a key in a span: one of the attributes, or All.
type Key struct {
	SpanAttribute     string `yaml:"span_attribute"`
	ResourceAttribute string `yaml:"resource_attribute"`
	EventAttribute    string `yaml:"event_attribute"`
	// All are parts that form the key together.
	All []KeyPart `yaml:"all"`
	// Normalise makes equivalent values equal.
	Normalise Normalise `yaml:"normalise"`
}

// KeyPart is the place of a part of a key in a span: one of the attributes.
type KeyPart struct {
	SpanAttribute     string    `yaml:"span_attribute"`
	ResourceAttribute string    `yaml:"resource_attribute"`
	Normalise         Normalise `yaml:"normalise"`
}

// Normalise removes the parts of a value that do not belong to the key.
type Normalise struct {
	// Prefixes are removed. Only the first that matches is.
	Prefixes []string `yaml:"prefixes"`
	// RandomSuffix is the number of hexadecimal digits of a random end, which is removed with the dash before it.
	RandomSuffix int `yaml:"random_suffix"`
	// NumberedSuffixes are removed with the digits that follow, repeatedly.
	NumberedSuffixes []string `yaml:"numbered_suffixes"`
	// Integer makes 31, "31" and "0x1f" equal.
	Integer bool `yaml:"integer"`
}

// Apply returns the normalised value of a key. Integers stay text.
func (n Normalise) Apply(text string) string {
	text = strings.TrimSpace(text)
	for _, prefix := range n.Prefixes {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			text = rest
			break
		}
	}
	text = n.cutRandom(text)
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

// cutRandom returns a text without its random end.
func (n Normalise) cutRandom(text string) string {
	dash := len(text) - n.RandomSuffix - 1
	if n.RandomSuffix == 0 || dash <= 0 || text[dash] != '-' || strings.Trim(text[dash+1:], "0123456789abcdef") != "" {
		return text
	}
	return text[:dash]
}

// Stage selects the spans of one stage. All its settings must match.
type Stage struct {
	// SpanName matches the span's name.
	SpanName glob.List `yaml:"span_name"`
	// Scope matches the name of the span's instrumentation scope.
	Scope glob.List `yaml:"scope"`
	// Kind is the span's kind.
	Kind SpanKind `yaml:"kind"`
	// Service matches the resource's service.name.
	Service *glob.Glob `yaml:"service"`
	// Attributes match attributes of the resource or, if it has none, of the span.
	Attributes map[string]glob.Glob `yaml:"attributes"`
	// Key is the place of the key in spans of this stage, if it differs from the rule's.
	Key *Key `yaml:"key"`
	// Logs are the places of the key in logs. A log stands for the span that it was written in. A stage
	// with logs has no other settings except service.
	Logs []LogKey `yaml:"logs"`
}

// LogKey is the place of a key in a log record: one of the first three.
type LogKey struct {
	Attribute string `yaml:"attribute"`
	// Body is a text in which {key} marks the value, or {keys} several values with commas between them. The
	// value ends where the text after it begins.
	Body string `yaml:"body"`
	// Tokens are prefixes. Each token of the body with one of them is a value.
	Tokens []string `yaml:"tokens"`
	// After are texts. One of them is before each token.
	After []string `yaml:"after"`
	// Normalise replaces that of the rule's key. It is valid only in the logs of a rule.
	Normalise *Normalise `yaml:"normalise"`
	// IDs decides which ids a log without ids gets. It is valid only in the logs of a rule.
	IDs LogIDs `yaml:"ids"`
}

// The placeholders in Body.
const (
	keyPlaceholder  = "{key}"
	keysPlaceholder = "{keys}"
)

// BodyAround returns the text before and after the key in Body, and whether it stands for several values.
func (l LogKey) BodyAround() (before, after string, several bool) {
	if before, after, several = strings.Cut(l.Body, keysPlaceholder); several {
		return before, after, true
	}
	before, after, _ = strings.Cut(l.Body, keyPlaceholder)
	return before, after, false
}

// Topology is the number of spans with the same key at each stage.
type Topology string

// The topologies.
const (
	TopologyPair  Topology = "pair"   // one to one; the default
	TopologyStar  Topology = "star"   // one to many
	TopologyFanIn Topology = "fan_in" // many to one
	// TopologyChain is for more than two stages. With From and To, it links spans in the order of their
	// times.
	TopologyChain Topology = "chain"
)

// SameTrace selects which spans of the same trace are linked.
type SameTrace string

// The values of SameTrace.
const (
	// SameTraceUnrelated links spans if neither is a known ancestor of the other. It is the default.
	SameTraceUnrelated SameTrace = "unrelated"
	SameTraceNever     SameTrace = "never"
	SameTraceAlways    SameTrace = "always"
)

// LogIDs decides which ids a log without ids gets.
type LogIDs string

// The values of LogIDs.
const (
	LogIDsSpan  LogIDs = "span"  // the trace id and the span id; the default
	LogIDsTrace LogIDs = "trace" // only the trace id, because the span of the log is unknown
)

// SpanKind is a span kind in lower case.
type SpanKind string

// SpanKinds are the kinds that a stage can select, in the order of OTLP's numbers from 1.
var SpanKinds = []SpanKind{"internal", "server", "client", "producer", "consumer"}
