// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/attrvalue"
)

const (
	// redacted replaces a sensitive value.
	redacted = "[redacted]"
	// truncated ends a value that was cut at the size limit.
	truncated = "...[truncated]"
)

// value applies the rule of an attribute to its value, and reports whether the value was already
// conformant.
func (w *walk) value(d *naming.AttributeDecision, value pcommon.Value, owner *naming.System) (conformant bool) {
	switch d.Sensitive {
	case conventions.SensitiveRedact:
		if value.Type() == pcommon.ValueTypeStr && value.Str() == redacted {
			return true
		}
		value.SetStr(redacted)
		w.change(naming.AttributeSensitive, owner)
		return false
	case conventions.SensitiveRemove:
		return false // the key is removed too
	}
	conformant = true
	if d.Type != "" && value.Type() != attrvalue.TypeOf(d.Type) {
		conformant = false
		if attrvalue.Convert(value, d.Type) {
			w.change(naming.AttributeType, owner)
		} else {
			w.violation(naming.AttributeType, owner)
		}
	}
	if d.Allowed != nil && !allowed(value.AsString(), d.Allowed) {
		value.SetStr(naming.OtherValue)
		w.change(naming.AttributeValue, owner)
		return false
	}
	return w.fitValue(value, owner) && conformant
}

func allowed(text string, values []string) bool {
	return text == naming.OtherValue || slices.Contains(values, text)
}

// fitValue truncates a value at the size limit and removes sensitive values from maps. It reports whether
// nothing had to change.
func (w *walk) fitValue(value pcommon.Value, owner *naming.System) (conformant bool) {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		if len(value.Str()) <= w.p.maxValueBytes {
			return true
		}
		value.SetStr(truncate(value.Str(), w.p.maxValueBytes))
	case pcommon.ValueTypeBytes:
		if value.Bytes().Len() <= w.p.maxValueBytes {
			return true
		}
		value.Bytes().FromRaw(value.Bytes().AsRaw()[:w.p.maxValueBytes])
	case pcommon.ValueTypeSlice:
		conformant = true
		for _, element := range value.Slice().All() {
			conformant = w.fitValue(element, owner) && conformant
		}
		return conformant
	case pcommon.ValueTypeMap:
		return w.nested(value.Map(), owner)
	default:
		return true
	}
	w.change(naming.AttributeSize, owner)
	return false
}

// nested applies fitValue to the values of a map. It keeps the keys, which belong to the sender, except
// sensitive and too long ones.
func (w *walk) nested(m pcommon.Map, owner *naming.System) (conformant bool) {
	conformant = true
	remove, long := false, false
	for key, value := range m.All() {
		long = long || len(key) > naming.MaxName
		switch d := w.decisions.Attribute(owner, key); {
		case d == nil || d.Sensitive == "":
			conformant = w.fitValue(value, owner) && conformant
		case d.Sensitive == conventions.SensitiveRemove:
			remove = true
		default:
			conformant = w.value(d, value, owner) && conformant
		}
	}
	if remove {
		w.removeNested(m, owner)
	}
	if long {
		w.fitKeys(m, owner)
	}
	return conformant && !remove && !long
}

func (w *walk) removeNested(m pcommon.Map, owner *naming.System) {
	m.RemoveIf(func(key string, _ pcommon.Value) bool {
		d := w.decisions.Attribute(owner, key)
		if d == nil || d.Sensitive != conventions.SensitiveRemove {
			return false
		}
		w.change(naming.AttributeSensitive, owner)
		return true
	})
}

// truncate cuts a text to at most size bytes, including the suffix, at a character boundary. Size is at
// least minValueBytes.
func truncate(text string, size int) string {
	return naming.Beginning(text, size-len(truncated)) + truncated
}
