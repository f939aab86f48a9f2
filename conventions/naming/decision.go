package naming

import "github.com/otelcol-tc/otelcol-tc/conventions"

// Rule is the kind of rule that decided a name. Its texts label self-metrics, so
// they are few and fixed.
type Rule uint8

// The rules, by what they look at.
const (
	// Conformant: the name is right already.
	Conformant Rule = iota
	// Exempt: the name follows another convention that is left alone.
	Exempt

	// MetricRename: a pack's exact rename.
	MetricRename
	// MetricPrefix: a pack's prefix mapping, and the general rule for the rest.
	MetricPrefix
	// MetricGeneral: sanitised and prefixed, as for any system.
	MetricGeneral
	// MetricUnit: a unit brought to UCUM, or values converted to another unit.
	MetricUnit
	// MetricType: a gauge that is a counter.
	MetricType
	// MetricMerge: metrics of one identity became one.
	MetricMerge
	// MetricCollision: another kind of metric has the conformant name, so this
	// one keeps its own.
	MetricCollision
	// PrometheusCollision: another metric has the same name after Prometheus export.
	PrometheusCollision
	// MetricUnknown: no pack knows the name, and it was passed or dropped.
	MetricUnknown

	// SpanPack: a pack's span rule.
	SpanPack
	// SpanRPC: rpc.service, or a gRPC path as the name.
	SpanRPC
	// SpanCode: a function's name or signature.
	SpanCode
	// SpanText: words or a path.
	SpanText

	// SpanFold: one name too many of its component.
	SpanFold

	// AttributeRename: a pack's rename of a key.
	AttributeRename
	// AttributeKeyForm: a tc.* key brought to dots and lower case.
	AttributeKeyForm
	// AttributeCollision: the conformant key was taken, so both keys stay.
	AttributeCollision

	// AttributeType: a value of another type than the rule's.
	AttributeType
	// AttributeValue: a value that is not allowed.
	AttributeValue
	// AttributeSensitive: a value that must not travel.
	AttributeSensitive
	// AttributeSize: a value over the size cap.
	AttributeSize
	// BodySensitive: a text in a log's body that must not travel.
	BodySensitive

	// NameLength: a name of more than MaxName bytes.
	NameLength
	// Unnameable: nothing in the name can be kept in a conformant one.
	Unnameable

	ruleCount
)

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
	// AnyRPCService tells that a span's rpc.service makes no difference.
	AnyRPCService bool
	// Repairs are what else has to change in a metric, one after the other.
	Repairs []*conventions.MetricRule
}

// Attribute is an attribute whose value was in a name.
type Attribute struct{ Key, Value string }

// Changed tells whether the decision replaces the name.
func (d *Decision) Changed() bool {
	switch d.Rule {
	case MetricRename, MetricPrefix, MetricGeneral, SpanPack, SpanRPC, SpanCode, SpanText, SpanFold, NameLength:
		return true
	}
	return false
}

// Violation tells whether the name stays although it is not conformant.
func (d *Decision) Violation() bool {
	return !d.Drop && (d.Rule == Unnameable || d.Rule == MetricUnknown)
}
