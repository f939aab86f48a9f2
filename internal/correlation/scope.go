// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
)

// Field is a field of a scope: an attribute, and what older conventions call it.
type Field struct{ key, older string }

// fields returns the fields of some attributes, without repetition. Their order in a setting has no
// meaning, so they are sorted.
func fields(keys []string) []Field {
	var all []Field
	for _, key := range keys {
		name, older := linking.Field(key)
		all = append(all, Field{name, older})
	}
	slices.SortFunc(all, func(a, b Field) int { return cmp.Compare(a.key, b.key) })
	return slices.Compact(all)
}

// value returns the value of the field, which the resource states before the item itself. An item
// without the field has no value. That is a value of its own: it does not stand for every other.
func (f *Field) value(attributes, resource pcommon.Map) pcommon.Value {
	for _, m := range [...]pcommon.Map{resource, attributes} {
		if value, ok := m.Get(f.key); ok {
			return value
		}
		if f.older != "" {
			if value, ok := m.Get(f.older); ok {
				return value
			}
		}
	}
	return noValue
}

var noValue = pcommon.NewValueEmpty()
