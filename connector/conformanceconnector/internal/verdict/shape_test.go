// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestShape(t *testing.T) {
	for line, want := range map[string]string{
		"":                                "",
		"2026-01-02 10:00:00,123 WARN x":  "0-0-0 0:0:0,0 A a",
		"Größe=7 処理 CamelCase HTTPServer": "a=0 a a a",
		"a\tb  c\n":                       "a a a",
		"\x1b[31mred\x1b[0m\x00\xff":      "?[0a?[0a?",
		"api_key=sk-Abc123":               "a_a=a-a0",
	} {
		assert.Equal(t, want, Shape(line), "%q", line)
	}
	assert.Len(t, Shape(strings.Repeat("a1", 1000)), maxShape)
}

// FuzzShape checks that a shape is short, and contains neither words nor numbers of its line.
func FuzzShape(f *testing.F) {
	for _, line := range []string{"a", "Aa0", "\xff\x00", "a \u202e", "処理"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		shape := Shape(line)
		if !utf8.ValidString(shape) || utf8.RuneCountInString(shape) > maxShape {
			t.Errorf("%q", shape)
		}
		if i := strings.IndexFunc(shape, func(r rune) bool { return r >= utf8.RuneSelf || r < ' ' }); i >= 0 {
			t.Errorf("%q", shape)
		}
		if strings.Contains(shape, "aa") || strings.Contains(shape, "00") || strings.ContainsAny(shape, "bcBC123456789") {
			t.Errorf("%q", shape)
		}
	})
}
