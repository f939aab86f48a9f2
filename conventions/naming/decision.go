package naming

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
	// MetricUnit: a unit in words, brought to UCUM.
	MetricUnit Rule = "metric_unit"
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

	// AttributeRename: a pack's rename of a key.
	AttributeRename Rule = "attribute_rename"
	// AttributeKeyForm: a tc.* key brought to dots and lower case.
	AttributeKeyForm Rule = "attribute_form"
	// AttributeCollision: the conformant key was taken, so both keys stay.
	AttributeCollision Rule = "attribute_collision"

	// Unnameable: nothing in the name can be kept in a conformant one.
	Unnameable Rule = "unnameable"
)

// Rules are all rules that can change a name or leave one that is not conformant.
func Rules() []Rule {
	return []Rule{
		MetricRename, MetricPrefix, MetricGeneral, MetricUnit, MetricUnknown,
		SpanPack, SpanRPC, SpanCode, SpanText,
		AttributeRename, AttributeKeyForm, AttributeCollision, Unnameable,
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
	// Attributes are values taken out of a span's name, sorted by key.
	Attributes []Attribute
	// IDs are ids found in a span's name that no rule has a key for.
	IDs []string
}

// Attribute is a span attribute whose value was in the span's name.
type Attribute struct{ Key, Value string }

// Changed tells whether the decision replaces the name.
func (d *Decision) Changed() bool {
	switch d.Rule {
	case MetricRename, MetricPrefix, MetricGeneral, SpanPack, SpanRPC, SpanCode, SpanText:
		return true
	}
	return false
}

// Violation tells whether the name stays although it is not conformant.
func (d *Decision) Violation() bool {
	return !d.Drop && (d.Rule == Unnameable || d.Rule == MetricUnknown)
}
