// SPDX-License-Identifier: Apache-2.0

package content

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestReplace(t *testing.T) {
	r := replacer{truncateBytes: 5}
	f := func(action Action, text, want string) {
		t.Helper()
		got := r.replace(action, text)
		assert.Equal(t, want, got)
		assert.Equal(t, got, r.replace(action, got), "twice")
	}
	f(Redact, "secret", "[redacted]")
	f(Redact, "", "")
	f(Redact, "__REDACTED__", "__REDACTED__")
	f(Hash, "secret", "[sha256:2bb80d537b1da3e3]")
	f(Hash, "[redacted]", "[redacted]")
	f(Hash, "[sha256:2bb80d537b1da3eX]", "[sha256:17c82d4cacfc8ada]")
	f(Truncate, "12345", "12345")
	f(Truncate, "123456", "12345...[truncated]")
	f(Truncate, "grüße", "grü...[truncated]")
	f(Truncate, "[redacted]", "[redacted]")
	f(Keep, "secret", "secret")
	// Another action of a second collector applies to what the first one left.
	assert.Equal(t, "[redacted]", r.replace(Redact, "[sha256:2bb80d537b1da3e3]"))
}

func TestKeyedHashes(t *testing.T) {
	plain, one, two := replacer{}, replacer{key: []byte("1")}, replacer{key: []byte("2")}
	a, b := one.replace(Hash, "text"), two.replace(Hash, "text")
	assert.Regexp(t, `^\[hmac:[0-9a-f]{16}\]$`, a)
	assert.NotEqual(t, a, b)
	assert.Equal(t, a, one.replace(Hash, "text"))
	assert.NotEqual(t, a, one.replace(Hash, "Text"))
	assert.NotEqual(t, a[6:], plain.replace(Hash, "text")[8:])
}

// FuzzReplace checks that replacing twice equals replacing once, and that at most the allowed beginning of
// a text stays.
func FuzzReplace(f *testing.F) {
	for _, text := range []string{"", "[redacted]", "[sha256:2bb80d537b1da3e3]", strings.Repeat("ü", 400), "x...[truncated]"} {
		f.Add(text, "key")
	}
	f.Fuzz(func(t *testing.T, text, key string) {
		for _, r := range []replacer{{truncateBytes: 16}, {truncateBytes: 256, key: []byte(key)}} {
			for _, action := range []Action{Redact, Hash, Truncate} {
				got := r.replace(action, text)
				assert.Equal(t, got, r.replace(action, got), "twice")
				assert.LessOrEqual(t, len(got), max(r.truncateBytes+len(truncated), 32))
				if utf8.ValidString(text) {
					assert.True(t, utf8.ValidString(got))
				}
			}
		}
	})
}
