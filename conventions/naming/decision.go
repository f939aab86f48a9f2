package naming

import "github.com/otelcol-tc/otelcol-tc/conventions"

// Rule is the kind of rule that decided a name. Its values label self-metrics,
// so they are few and fixed.
type Rule string

// The rules, by what they look at.
const (
	// Conformant: the name is right already.
	Conformant Rule = "conformant"
	// Exempt: the name follows another convention that is left alone.
	Exempt Rule = "exempt"

	// MetricRename: a pack's exact rename.
	MetricRename Rule = "metric_rename"
	// MetricPrefix: a pack's prefix mapping, and the general rule for the rest.
	MetricPrefix Rule = "metric_prefix"
	// MetricGeneral: sanitised and prefixed, as for any system.
	MetricGeneral Rule = "metric_general"
	// MetricUnit: a unit brought to UCUM, or values converted to another unit.
	MetricUnit Rule = "metric_unit"
	// MetricType: a gauge that is a counter.
	MetricType Rule = "metric_type"
	// MetricMerge: metrics of one identity became one.
	MetricMerge Rule = "metric_merge"
	// MetricCollision: another kind of metric has the conformant name, so this
	// one keeps its own.
	MetricCollision Rule = "metric_collision"
	// PrometheusCollision: another metric has the same name after Prometheus export.
	PrometheusCollision Rule = "prometheus_collision"
	// MetricUnknown: no pack knows the name, and it was passed or dropped.
	MetricUnknown Rule = "metric_unknown"

	// SpanPack: a pack's span rule.
	SpanPack Rule = "span_pack"
	// SpanRPC: rpc.service, or a gRPC path as the name.
	SpanRPC Rule = "span_rpc"
	// SpanCode: a function's name or signature.
	SpanCode Rule = "span_code"
	// SpanText: words or a path.
	SpanText Rule = "span_text"

	// SpanFold: one name too many of its component.
	SpanFold Rule = "span_fold"

	// AttributeRename: a pack's rename of a key.
	AttributeRename Rule = "attribute_rename"
	// AttributeKeyForm: a tc.* key brought to dots and lower case.
	AttributeKeyForm Rule = "attribute_form"
	// AttributeCollision: the conformant key was taken, so both keys stay.
	AttributeCollision Rule = "attribute_collision"

	// AttributeType: a value of another type than the rule's.
	AttributeType Rule = "attribute_type"
	// AttributeValue: a value that is not allowed.
	AttributeValue Rule = "attribute_value"
	// AttributeSensitive: a value that must not travel.
	AttributeSensitive Rule = "attribute_sensitive"
	// AttributeSize: a value over the size cap.
	AttributeSize Rule = "attribute_size"
	// BodySensitive: a text in a log's body that must not travel.
	BodySensitive Rule = "body_sensitive"

	// Unnameable: nothing in the name can be kept in a conformant one.
	Unnameable Rule = "unnameable"
)

// Rules are all rules that can change a name or leave one that is not conformant.
func Rules() []Rule {
	return []Rule{
		MetricRename, MetricPrefix, MetricGeneral, MetricUnknown,
		MetricUnit, MetricType, MetricMerge, MetricCollision, PrometheusCollision,
		SpanPack, SpanRPC, SpanCode, SpanText, SpanFold,
		AttributeRename, AttributeKeyForm, AttributeCollision,
		AttributeType, AttributeValue, AttributeSensitive, AttributeSize,
		BodySensitive, Unnameable,
	}
}

// Decision is what a name should be, and why.
type Decision struct {
	// Name is the conformant name, or the original where nothing changes.
	Name string
	// Rule is what decided.
	Rule Rule
	// System owns the name, or is nil.
	System *System
	// Drop says that the metric is not wanted at all.
	Drop bool
	// Attributes are values taken out of the name, sorted by key: attributes of
	// the span, or of the metric's data points.
	Attributes []Attribute
	// IDs are ids found in a span's name that no rule has a key for.
	IDs []string
	// Repair is what else has to change in a metric, or nil.
	Repair *conventions.MetricRule
}

// Attribute is an attribute whose value was in a name.
type Attribute struct{ Key, Value string }

// Changed tells whether the decision replaces the name.
func (d *Decision) Changed() bool {
	switch d.Rule {
	case MetricRename, MetricPrefix, MetricGeneral, SpanPack, SpanRPC, SpanCode, SpanText, SpanFold:
		return true
	}
	return false
}

// Violation tells whether the name stays although it is not conformant.
func (d *Decision) Violation() bool {
	return !d.Drop && (d.Rule == Unnameable || d.Rule == MetricUnknown)
}
