// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOutput(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		var out bytes.Buffer
		n, err := fmt.Fprint(Output(&out), text)
		assert.NoError(t, err)
		assert.Equal(t, len(text), n)
		assert.Equal(t, want, out.String())
	}
	f("a:\n    password: s3cret\n    size: 10000000\n\n", "a:\n    password: '[REDACTED]'\n    size: 10000000\n\n")
	f("{\n  \"password\": \"s3cret\",\n  \"size\": 12345678901234567\n}\n", "{\n  \"password\": \"[REDACTED]\",\n  \"size\": 12345678901234567\n}\n")
	f("not a configuration: http://a:s3cret@host: x", "not a configuration: http://REDACTED@host: x")
}
