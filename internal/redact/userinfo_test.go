// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestURLs(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		assert.Equal(t, want, withoutUserInfo(text))
	}
	f("", "")
	f("http://host:4318/v1/traces?a=b@c#d@e", "http://host:4318/v1/traces?a=b@c#d@e")
	f("http://[::1]:4318/a@b", "http://[::1]:4318/a@b")
	f("user@host, a://b c@d", "user@host, a://b c@d")
	f("http://user:secret@host:4318/x", "http://REDACTED@host:4318/x")
	f("http://token@host", "http://REDACTED@host")
	f("http://REDACTED:REDACTED@host", "http://REDACTED:REDACTED@host")
	digest := strings.Repeat("0a", 32)
	f("docker-pullable://nginx@sha256:"+digest, "docker-pullable://nginx@sha256:"+digest)
	f("http://user:secret@sha256:80/", "http://REDACTED@sha256:80/")
	f("mongodb://a:1,b:2/db?user=c@d", "mongodb://a:1,b:2/db?user=c@d")
	f("http://:secret@host", "http://REDACTED@host")
	f("http://user:se@cr@et@host", "http://REDACTED@host")
	f(`Post "http://user:secret@host/v1": dial tcp: refused`, `Post "http://REDACTED@host/v1": dial tcp: refused`)
	f("redis://a:b@c,redis://d:e@f redis://g", "redis://REDACTED@c,redis://REDACTED@f redis://g")
	f("- 'http://it:isn''t@host'\n- x@y", "- 'http://REDACTED@host'\n- x@y")
	// Invalid URLs, which errors quote.
	f(`parse "http://user:se/cr?et@host": invalid port`, `parse "http://REDACTED@host": invalid port`)
	f("http://user:se#cret@host/path", "http://REDACTED@host/path")
}

// FuzzUserInfo checks that redacting twice equals redacting once. A text without an @ after a
// scheme stays unchanged. No URL that Go can parse keeps its user info.
func FuzzUserInfo(f *testing.F) {
	for _, seed := range []string{
		"http://user:secret@host:4318/x", "a://b://c@d", "http://u:p/q@h", "x://[::1]:1@y", "://@", `"http://a:b"@c`, "http://a:1,b:2@c",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := withoutUserInfo(text)
		assert.Equal(t, got, withoutUserInfo(got), "twice")
		if _, after, _ := strings.Cut(text, scheme); !strings.Contains(after, "@") && !strings.HasPrefix(text, "//") && !strings.Contains(text, `\`) {
			assert.Equal(t, text, got)
		}
		if u, err := url.Parse(text); err == nil && u.Scheme != "" && u.User != nil {
			redacted, err := url.Parse(got)
			if assert.NoError(t, err) && assert.NotNil(t, redacted.User) {
				assert.Contains(t, []string{replacement, redactedPair}, redacted.User.String())
				if strings.Count(text, scheme) == 1 {
					assert.Equal(t, u.Host+u.Path, redacted.Host+redacted.Path)
				}
			}
		}
	})
}

// FuzzPasswords puts any name and password into a URL inside a text.
func FuzzPasswords(f *testing.F) {
	f.Add("user", "secret")
	f.Add("", `p@ss/w:o?r#d "'<>&`)
	f.Fuzz(func(t *testing.T, user, password string) {
		u := url.URL{Scheme: "https", User: url.UserPassword(user, password), Host: "host:1", Path: "/a"}
		assert.Equal(t, `Get "https://REDACTED@host:1/a": refused`, withoutUserInfo(`Get "`+u.String()+`": refused`))
	})
}
