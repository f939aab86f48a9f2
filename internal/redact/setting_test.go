// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestText(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		assert.Equal(t, want, Text(text))
		assert.Equal(t, want, Text(want), "twice")
	}
	f("", "")
	f("http://host/?a=b&c=d", "http://host/?a=b&c=d")
	f("Is it so? token=none", "Is it so? token=none")
	f("http://u:s3cret@host/?api_key=s3cret", "http://REDACTED@host/?api_key=REDACTED")
	f(`Post "http://host/v1?x=1&Access-Token=s3cret&y=2": refused`, `Post "http://host/v1?x=1&Access-Token=REDACTED&y=2": refused`)
	f("/metrics?token=s3cret /b?sig=s3cret#c", "/metrics?token=REDACTED /b?sig=REDACTED#c")
	f("http://host?key=s3cret&token=&sig=s3cret", "http://host?key=REDACTED&token=&sig=REDACTED")
}

func TestEndpoint(t *testing.T) {
	assert.Equal(t, "REDACTED@host:1?token=REDACTED", Endpoint("user:s3cret@host:1?token=s3cret"))
	assert.Equal(t, "http://REDACTED@host/a@b", Endpoint("http://user:s3cret@host/a@b"))
	assert.Equal(t, "host:1", Endpoint("host:1"))
}

// FuzzText checks that redacting twice equals redacting once.
func FuzzText(f *testing.F) {
	f.Add("http://u:p@h/?token=a&key=b#c?sig=d")
	f.Fuzz(func(t *testing.T, text string) {
		got := Text(text)
		assert.Equal(t, got, Text(got))
	})
}
