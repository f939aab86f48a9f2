// SPDX-License-Identifier: Apache-2.0

package naming

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
