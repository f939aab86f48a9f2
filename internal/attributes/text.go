// Package attributes looks things up in attributes.
package attributes

import "go.opentelemetry.io/collector/pdata/pcommon"

// Text returns a string attribute's value. One of another type is none.
func Text(attrs pcommon.Map, key string) (value string, ok bool) {
	v, ok := attrs.Get(key)
	if !ok || v.Type() != pcommon.ValueTypeStr {
		return "", false
	}
	return v.Str(), true
}
