package naming

// rules are each rule's text and, for a person, why in half a sentence.
var rules = [ruleCount]struct{ text, reason string }{
	Conformant:          {"conformant", "the name is right"},
	Exempt:              {"exempt", "another convention has the name"},
	MetricRename:        {"metric_rename", "the pack names this metric"},
	MetricPrefix:        {"metric_prefix", "the pack maps the prefix"},
	MetricGeneral:       {"metric_general", "no pack knows the name: sanitised and prefixed"},
	MetricUnit:          {"metric_unit", "the unit is not UCUM, or not the one to use"},
	MetricType:          {"metric_type", "a gauge that is a counter"},
	MetricMerge:         {"metric_merge", "metrics of one identity are one metric"},
	MetricCollision:     {"metric_collision", "a metric of another kind has the conformant name"},
	PrometheusCollision: {"prometheus_collision", "another metric has the same name after Prometheus export"},
	MetricUnknown:       {"metric_unknown", "no pack knows the name, and unknown is not rename"},
	SpanPack:            {"span_pack", "the pack has a rule for this name"},
	SpanRPC:             {"span_rpc", "an RPC: component by its service, operation by its method"},
	SpanCode:            {"span_code", "a name from code: component by its class or module, operation by its function"},
	SpanText:            {"span_text", "words or a path: component by the service, operation by the words"},
	SpanFold:            {"span_fold", "one name too many of this component"},
	AttributeRename:     {"attribute_rename", "the pack names this key"},
	AttributeKeyForm:    {"attribute_form", "a tc.* key has dots and lower case"},
	AttributeCollision:  {"attribute_collision", "the conformant key is taken"},
	AttributeType:       {"attribute_type", "the value has another type than the pack says"},
	AttributeValue:      {"attribute_value", "the value is not one of those allowed"},
	AttributeSensitive:  {"attribute_sensitive", "values under this key must not travel"},
	AttributeSize:       {"attribute_size", "the value is longer than max_value_bytes"},
	BodySensitive:       {"body_sensitive", "the pack says that this text must not travel"},
	NameLength:          {"name_length", "the name is longer than 255 bytes: cut, with a hash of the whole at its end"},
	Unnameable:          {"unnameable", "nothing in the name can be kept"},
}

// RuleCount is one more than the largest Rule.
const RuleCount = int(ruleCount)

// String is the rule's text in self-metrics and logs.
func (r Rule) String() string { return rules[r].text }

// Reason says why a rule changes a name, or leaves it.
func (r Rule) Reason() string { return rules[r].reason }
