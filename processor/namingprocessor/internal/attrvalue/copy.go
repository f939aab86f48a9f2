// SPDX-License-Identifier: Apache-2.0

package attrvalue

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// Outcome is what became of a copy.
type Outcome int

// The outcomes.
const (
	// None means that there is nothing to copy: the value is not listed, or the object does not have the field.
	None Outcome = iota
	// Made means that there is a value.
	Made
	// Unconvertible means that the value cannot be converted without loss, or is no object.
	Unconvertible
)

// Copy returns the value of a copy of an attribute. Objects are those of the item that has the attribute.
func Copy(c *naming.AttributeCopy, key string, source pcommon.Value, objects *Objects) (pcommon.Value, Outcome) {
	if c.Field != "" {
		field, outcome := objects.field(key, source, c.Field)
		if outcome != Made {
			return field, outcome
		}
		source = field
	}
	if source.Type() == pcommon.ValueTypeStr && source.Str() == "" {
		return source, None
	}
	value := pcommon.NewValueEmpty()
	source.CopyTo(value)
	if c.Values != nil {
		if outcome := mapped(value, c.Values); outcome != Made {
			return value, outcome
		}
	}
	if !typed(value, c.Type) {
		return value, Unconvertible
	}
	return value, Made
}

// mapped replaces a value, or each text of a list, by that of the copy.
func mapped(value pcommon.Value, values map[string]string) Outcome {
	switch value.Type() {
	case pcommon.ValueTypeStr, pcommon.ValueTypeBool, pcommon.ValueTypeInt, pcommon.ValueTypeDouble:
		lower := strings.ToLower(value.AsString())
		to, ok := values[lower]
		if !ok {
			to, ok = values[conventions.OtherValues]
		}
		if !ok {
			return None
		}
		value.SetStr(strings.ReplaceAll(to, conventions.SameValue, lower))
		return Made
	case pcommon.ValueTypeSlice:
		for _, element := range value.Slice().All() {
			if element.Type() == pcommon.ValueTypeSlice {
				return Unconvertible
			}
			if outcome := mapped(element, values); outcome != Made {
				return outcome
			}
		}
		return Made
	case pcommon.ValueTypeEmpty:
		return None
	default:
		return Unconvertible
	}
}

// typed gives a value a type, and reports whether it has it now.
func typed(value pcommon.Value, want conventions.ValueType) bool {
	switch {
	case want == "":
		return value.Type() != pcommon.ValueTypeEmpty
	case want == conventions.TypeStrings:
		return texts(value)
	case value.Type() == TypeOf(want):
		return true
	default:
		return Convert(value, want)
	}
}

// texts makes a value a list of texts.
func texts(value pcommon.Value) bool {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		text := value.Str()
		value.SetEmptySlice().AppendEmpty().SetStr(text)
		return true
	case pcommon.ValueTypeSlice:
		for _, element := range value.Slice().All() {
			if element.Type() != pcommon.ValueTypeStr {
				return false
			}
		}
		return true
	default:
		return false
	}
}
