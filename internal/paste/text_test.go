// SPDX-License-Identifier: Apache-2.0

package paste

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func TestScalar(t *testing.T) {
	for text, want := range map[string]string{
		"shop": "shop", "order.id": "order.id", "a-b_c.": "a-b_c.", "yes": `"yes"`, "NULL": `"NULL"`, "7": `"7"`, "a b": `"a b"`, "a: b": `"a: b"`, "größe": `"größe"`, "\n": `"\n"`,
	} {
		assert.Equal(t, want, Scalar(text))
	}
	assert.False(t, Safe(""))
	assert.False(t, Safe("a\ufffd"))
	assert.False(t, Safe("\xff"))
	assert.False(t, Safe(strings.Repeat("\x01", 256)), "no key can be as long")
}

// FuzzScalar checks that YAML reads texts back unchanged, and that a comment is one.
func FuzzScalar(f *testing.F) {
	for _, text := range []string{"a", "true", "y", ".nan", "<<", "---", "a\n- b", "\u2028", "\u0085x", "\ufeff", "#", " # ", "\U0010ffff", "'", "\"", "\\", "\x00", "?", "0x1", "1_000", "e1", "=", "~"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		document := "a: 1 # " + Comment(text) + "\n"
		want := map[string]any{"a": 1}
		if Safe(text) {
			document += "b: " + Scalar(text) + "\nc:\n  " + Scalar(text) + ": {" + Scalar(text) + ": [" + Scalar(text) + "]} # " + Comment(text) + "\n"
			want["b"] = text
			want["c"] = map[string]any{text: map[string]any{text: []any{text}}}
		}
		var got map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(document), &got), document)
		require.Equal(t, want, got)
	})
}
