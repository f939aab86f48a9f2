// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDisplayName(t *testing.T) {
	f := func(uri, want string) {
		t.Helper()
		assert.Equal(t, want, DisplayName(uri))
	}
	f("file:my.yaml", "my.yaml")
	f("file:C:/my.yaml", "C:/my.yaml")
	f("builtin:dev", "builtin:dev")
	f("http://me:secret@host/a.yaml", "http://me:xxxxx@host/a.yaml")
	f("https://host/a.yaml?token=secret", "https://host/a.yaml")
	f("yaml:a: secret\nb: 2", "yaml:a")
	f("yaml:a::b/c: {secret: d}", "yaml:a::b/c")
	f("yaml:secret", "yaml:…")
	f(`yaml:{"a":"secret", "b": 1}`, "yaml:…")
}
