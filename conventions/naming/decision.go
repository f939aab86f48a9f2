// SPDX-License-Identifier: Apache-2.0

package naming

import "github.com/otelcol-tc/otelcol-tc/conventions"

// Rule is the kind of rule that decided a name. Its texts are values of an attribute of the
// product's own metrics, so they are few and fixed.
type Rule uint8

// The rules, grouped by what they apply to.
const (
	// Conformant means that the name is conformant already.
	Conformant Rule = iota
	// Exempt means that the name follows another convention, which is left alone.
	Exempt
	// Passed means that no pack owns the telemetry, so that the name passes.
	Passed
	// Kept means that the pack keeps the names of its system.
	Kept

	// MetricRename is a pack's exact rename.
	MetricRename
	// MetricPrefix is a pack's prefix mapping, with the general rule for the rest of the name.
	MetricPrefix
	// MetricGeneral is the general rule: the name is converted to snake case and prefixed.
	MetricGeneral
	// MetricUnit is a unit converted to UCUM, or values converted to another unit.
	MetricUnit
	// MetricType is a gauge that is converted to a counter.
	MetricType
	// MetricMerge is metrics of one identity that are merged.
	MetricMerge
	// MetricCollision is a metric that keeps its name, because a metric of another kind has the
	// conformant one.
	MetricCollision

	// SpanPack is a pack's rule for spans.
	SpanPack
	// SpanRoute is an HTTP span whose path is replaced by its route, or loses its query.
	SpanRoute
	// SpanRPC is a span with rpc.service, or with a gRPC path as its name.
	SpanRPC
	// SpanCode is the name or signature of a function.
	SpanCode
	// SpanText is a name of words, or a path.
	SpanText

	// SpanFold is a name above the limit of its component's names.
	SpanFold

	// AttributeRename is a pack's rename of a key.
	AttributeRename
	// AttributeKeyForm is a tc.* key that is converted to lower case with dots.
	AttributeKeyForm
	// AttributeCollision is a key that is kept, because the conformant key is taken.
	AttributeCollision
	// AttributeCopied is an attribute that is copied to another key, or messages that become a list.
	AttributeCopied

	// AttributeType is a value whose type differs from the pack's.
	AttributeType
	// AttributeValue is a value that is not allowed.
	AttributeValue
	// AttributeSensitive is a value that must not be exported.
	AttributeSensitive
	// AttributeSize is a value above the size limit.
	AttributeSize
	// BodySensitive is a text in a log's body that must not be exported.
	BodySensitive

	// NameLength is a name longer than MaxName bytes.
	NameLength
	// SchemaURL is a schema URL that is removed, because a name of the schema was changed.
	SchemaURL
	// Unnameable is a name without any byte that a conformant name can keep.
	Unnameable

	ruleCount
)

// Decision is what a name should be, and why.
type Decision struct {
	// Name is the conformant name, or the original if nothing changes.
	Name string
	// Rule is the kind of rule that decided.
	Rule Rule
	// System owns the name, or is nil.
	System *System
	// Keeps means that no rule but the limit of lengths may change the name.
	Keeps bool
	// Attributes are the values that were removed from the name, sorted by key. They become
	// attributes of the span, or of the metric's data points.
	Attributes []Attribute
	// IDs are the ids in a span's name for which no rule has a key.
	IDs []string
	// Asks are the facts that the decision on a span's name depends on.
	Asks Asks
	// Repairs are further changes of a metric, in their order.
	Repairs []*conventions.MetricRule
}

// Attribute is an attribute whose value was in a name.
type Attribute struct{ Key, Value string }

// Changed reports whether the decision replaces the name.
func (d *Decision) Changed() bool {
	switch d.Rule {
	case MetricRename, MetricPrefix, MetricGeneral, SpanPack, SpanRoute, SpanRPC, SpanCode, SpanText, SpanFold, NameLength:
		return true
	}
	return false
}

// Violation reports whether the name stays although it is not conformant.
func (d *Decision) Violation() bool { return d.Rule == Unnameable }

// keep decides that the name stays, because no general rule applies to its owner.
func (d *Decision) keep() {
	d.Rule, d.Keeps = Passed, true
	if d.System.Owned() {
		d.Rule = Kept
	}
}

// OriginalNameKey holds the name that was replaced: an attribute of a span, or a key of a
// metric's metadata.
const OriginalNameKey = "tc.original_name"

// ScrapedTypeKey is a key of a metric's metadata: its type on the page that the prometheus receiver scraped. With
// it, and without OriginalNameKey, a metric has the name that it had there.
const ScrapedTypeKey = "prometheus.type"

// rules are each rule's text in metrics and logs, and a short explanation for people.
var rules = [ruleCount]struct{ text, reason string }{
	Conformant:         {"conformant", "the name is conformant"},
	Exempt:             {"exempt", "the name follows another convention"},
	Passed:             {"unowned", "no pack owns the telemetry: its names pass"},
	Kept:               {"kept", "the pack keeps the names of its system"},
	MetricRename:       {"metric_rename", "the pack names this metric"},
	MetricPrefix:       {"metric_prefix", "the pack maps the prefix"},
	MetricGeneral:      {"metric_general", "no pack has a rule for the name: sanitised and prefixed"},
	MetricUnit:         {"metric_unit", "the unit is not a UCUM unit, or not the required one"},
	MetricType:         {"metric_type", "the metric is a gauge, and has to be a counter"},
	MetricMerge:        {"metric_merge", "metrics of the same identity are merged"},
	MetricCollision:    {"metric_collision", "a metric of another kind has the conformant name"},
	SpanPack:           {"span_pack", "the pack has a rule for this name"},
	SpanRoute:          {"span_route", "an HTTP span: its route, or its path without the query"},
	SpanRPC:            {"span_rpc", "an RPC: component by the service, operation by the method"},
	SpanCode:           {"span_code", "a name from code: component by the class or module, operation by the function"},
	SpanText:           {"span_text", "words or a path: component by the service, operation by the words"},
	SpanFold:           {"span_fold", "the component has too many span names"},
	AttributeRename:    {"attribute_rename", "the pack names this key"},
	AttributeKeyForm:   {"attribute_form", "a tc.* key is in lower case with dots"},
	AttributeCollision: {"attribute_collision", "the conformant key is taken"},
	AttributeCopied:    {"attribute_copy", "the pack also wants the value under another key"},
	AttributeType:      {"attribute_type", "the value's type is not the pack's"},
	AttributeValue:     {"attribute_value", "the value is not one of the allowed values"},
	AttributeSensitive: {"attribute_sensitive", "values of this key must not be exported"},
	AttributeSize:      {"attribute_size", "the value is longer than max_value_bytes"},
	BodySensitive:      {"body_sensitive", "the pack does not allow this text to be exported"},
	NameLength:         {"name_length", "the name is longer than 255 bytes: shortened, with a hash of the whole name at its end"},
	SchemaURL:          {"schema_url", "a name that the schema defines was changed, so the telemetry no longer follows it"},
	Unnameable:         {"unnameable", "no character of the name can be kept"},
}

// RuleCount is one more than the largest Rule.
const RuleCount = int(ruleCount)

// String returns the rule's text in the product's own metrics and logs.
func (r Rule) String() string { return rules[r].text }

// Reason returns why a rule changes a name or leaves it.
func (r Rule) Reason() string { return rules[r].reason }
