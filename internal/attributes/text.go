// SPDX-License-Identifier: Apache-2.0

// Package attributes reads attributes by key.
package attributes

import "go.opentelemetry.io/collector/pdata/pcommon"

// Lookup returns the value of a string attribute. If the attribute is missing or has another type, ok is
// false.
func Lookup(attrs pcommon.Map, key string) (value string, ok bool) {
	v, ok := attrs.Get(key)
	if !ok || v.Type() != pcommon.ValueTypeStr {
		return "", false
	}
	return v.Str(), true
}

// Text returns the value of a string attribute, or an empty string.
func Text(attrs pcommon.Map, key string) string {
	value, _ := Lookup(attrs, key)
	return value
}
