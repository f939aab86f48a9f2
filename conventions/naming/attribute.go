package naming

import "strings"

// attributeNamespace begins the keys that the convention owns.
const attributeNamespace = "tc."

// AttributeRenames returns the renames of a system's keys, original to
// conformant, or nil. The map must not be changed.
func (s *System) AttributeRenames() map[string]string {
	if s == nil {
		return nil
	}
	return s.attributes
}

// NeedsForm tells quickly whether a key is in the convention's namespace but
// not in its form, so that AttributeForm has something to do.
func NeedsForm(key string) bool {
	if len(key) <= len(attributeNamespace) || !strings.EqualFold(key[:len(attributeNamespace)], attributeNamespace) {
		return false
	}
	return !conformantKey(key)
}

// AttributeForm brings a tc.* key to its form, dots and lower_snake_case:
// TC.sourceType becomes tc.source_type. It returns "" where nothing can be kept.
func AttributeForm(key string) string {
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

// conformantKey is ^tc(\.[a-z0-9]+(_[a-z0-9]+)*)+$.
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
