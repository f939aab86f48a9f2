// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// hidden stands for a value that must not be seen.
const hidden = "[protected]"

// Values returns a function that returns what may be seen of the value of an attribute: numbers, and texts in the form
// of an identifier. The content policy and the packs of the current policy must not know the key, or what a pack
// renames it to, as content or as a credential. The mode of the service, and whether its content is exported, do not
// matter.
func Values(current func() *policy.Policy) func(key string, value pcommon.Value) string {
	return func(key string, value pcommon.Value) string {
		switch value.Type() {
		case pcommon.ValueTypeInt, pcommon.ValueTypeDouble, pcommon.ValueTypeBool:
		case pcommon.ValueTypeStr:
			if !isIdentifier(value.Str()) {
				return hidden
			}
		default:
			return hidden
		}
		if isProtected(current(), key) {
			return hidden
		}
		return value.AsString()
	}
}

// isIdentifier reports whether a text can be an identifier, and has no parameters or credentials as a URL can have.
func isIdentifier(text string) bool {
	return content.Identifier(text) && !strings.Contains(text, "://") && !strings.ContainsAny(text, "@?=&")
}

// isProtected reports whether the content policy or any pack protects the values of a key.
func isProtected(p *policy.Policy, key string) bool {
	if p.Content().Key(key).Rule != nil {
		return true
	}
	for _, owner := range p.Namer().Owners() {
		if d := p.Namer().Attribute(owner, key); d != nil && (d.Sensitive != "" || p.Content().Key(d.Key).Rule != nil) {
			return true
		}
	}
	return false
}
