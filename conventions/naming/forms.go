// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// attributeNamespace begins the keys that the convention owns.
const attributeNamespace = "tc."

// needsForm reports whether a key is in the convention's namespace but not in its form.
func needsForm(key string) bool {
	if len(key) <= len(attributeNamespace) || !strings.EqualFold(key[:len(attributeNamespace)], attributeNamespace) {
		return false
	}
	return !conformantKey(key)
}

// attributeForm converts a tc.* key to its form, lower_snake_case with dots: TC.sourceType
// becomes tc.source_type. It returns "" if no byte can be kept.
func attributeForm(key string) string {
	var b strings.Builder
	b.WriteString(attributeNamespace[:len(attributeNamespace)-1])
	for part := range strings.FieldsFuncSeq(key[len(attributeNamespace):], func(r rune) bool { return r == '.' || r == ':' || r == '/' }) {
		if snake := snakeCase(part); snake != "" {
			b.WriteByte('.')
			b.WriteString(snake)
		}
	}
	if b.Len() < len(attributeNamespace) {
		return ""
	}
	return b.String()
}

// conformantKey reports whether key matches ^tc(\.[a-z0-9]+(_[a-z0-9]+)*)+$.
func conformantKey(key string) bool {
	if !strings.HasPrefix(key, attributeNamespace) {
		return false
	}
	for part := range strings.SplitSeq(key[len(attributeNamespace):], ".") {
		if !conformantSnake(part) {
			return false
		}
	}
	return true
}

// copyName replaces tc_ at the beginning of a copy's name by the configured prefix.
func (n *Namer) copyName(name string) string {
	if strings.HasPrefix(name, conventions.MetricPrefix) {
		return n.ownPrefix(name)
	}
	return name
}

// unprefixed removes the configured prefix from a name, or tc_, which packs and their systems
// write.
func (n *Namer) unprefixed(snake string) string {
	if rest, ok := strings.CutPrefix(snake, n.prefix); ok {
		return rest
	}
	return strings.TrimPrefix(snake, conventions.MetricPrefix)
}

// ConformantMetric reports whether name is the prefix followed by lower_snake_case:
// ^tc_[a-z0-9]+(_[a-z0-9]+)*$ for the default prefix.
func (n *Namer) ConformantMetric(name string) bool {
	rest, ok := strings.CutPrefix(name, n.prefix)
	return ok && conformantSnake(rest)
}

// CanBeConformant reports whether a name that is kept could be one that a metric is changed to, in any case:
// TC_cache.
func (n *Namer) CanBeConformant(name string) bool {
	return len(name) >= len(n.prefix) && strings.EqualFold(name[:len(n.prefix)], n.prefix)
}

func conformantPrefix(prefix string) bool {
	rest, ok := strings.CutSuffix(prefix, "_")
	return ok && conformantSnake(rest) && !isDigit(rest[0])
}

// conformantSnake reports whether s matches ^[a-z0-9]+(_[a-z0-9]+)*$.
func conformantSnake(s string) bool {
	if s == "" || s[0] == '_' || s[len(s)-1] == '_' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !isLower(c) && !isDigit(c) && (c != '_' || s[i-1] == '_') {
			return false
		}
	}
	return true
}

// ownPrefix replaces tc_, which packs are written in, by the configured prefix.
func (n *Namer) ownPrefix(name string) string {
	return n.prefix + strings.TrimPrefix(name, conventions.MetricPrefix)
}

// written returns a conformant name with the prefix tc_, which packs use.
func (n *Namer) written(name string) string {
	if rest, ok := strings.CutPrefix(name, n.prefix); ok {
		return conventions.MetricPrefix + rest
	}
	return name
}

// ConformantSpan reports whether name is <Component>/<Operation>, where each part is
// [A-Z][A-Za-z0-9]*.
func ConformantSpan(name string) bool {
	component, operation, ok := strings.Cut(name, "/")
	return ok && conformantPart(component) && conformantPart(operation)
}

func conformantPart(s string) bool {
	if s == "" || !isUpper(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if !isWord(s[i]) {
			return false
		}
	}
	return true
}
