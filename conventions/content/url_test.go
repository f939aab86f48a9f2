// SPDX-License-Identifier: Apache-2.0

package content

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/internal/redact"
)

func TestURLs(t *testing.T) {
	p := New(Config{SecretParameters: []string{"magic"}}, nil)
	forms := map[string]URL{"AnyText": AnyText, "Address": Address, "Query": Query, "Connection": Connection, "Name": Name, "Line": Line}
	for _, sample := range read[struct{ Form, Text, Want string }](t, "testdata/urls.yaml") {
		form, ok := forms[sample.Form]
		assert.True(t, ok, sample.Form)
		got := p.ScrubURLs(form, sample.Text)
		assert.Equal(t, cmp.Or(sample.Want, sample.Text), got)
		assert.Equal(t, got, p.ScrubURLs(form, got), "twice")
	}
}

// Nobody can stop a collector with a text. Each took minutes when every part was searched for its end: then this test
// does not end in time.
func TestHostileTextsTakeLinearTime(*testing.T) {
	p := New(Config{}, nil)
	const n = 1 << 18
	for _, text := range []string{
		"http://h/?" + strings.Repeat("&a=", n), "http://h/?" + strings.Repeat("?a=", n), "http://h/?" + strings.Repeat(";a=", n),
		strings.Repeat("a://", n), strings.Repeat("a://b@", n), strings.Repeat("a:b://", n),
		"a=" + strings.Repeat(" ", n), "a=" + strings.Repeat(" ,b", n), `a="` + strings.Repeat(`""`, n),
	} {
		for _, form := range []URL{AnyText, Address, Query, Connection, Name, Line, Command} {
			_ = p.ScrubURLs(form, text)
		}
	}
}

func TestFormsOfURLs(t *testing.T) {
	for key, want := range map[string]URL{
		"url.full": Address, "http.url": Address, "http.target": Address, "url.path": Address, "url.original": Address, "http.request.header.referer": Address,
		"url.query": Query, "url.fragment": Query, "http.query_string": Query,
		"process.command_args": Command, "process.command_line": Command,
		"db.connection_string": Connection, "dsn": Connection,
		"server.address": AnyText, "peer.address": AnyText, "db.query": AnyText, "": AnyText,
	} {
		assert.Equal(t, want, urlOf(key), key)
	}
}

// The quick look at the last letters of a name never hides a secret.
func TestNamesOfParameters(t *testing.T) {
	p := New(Config{SecretKeys: []string{"x_y", "größe"}, SecretParameters: []string{"m", "Kunde-1"}}, nil)
	for _, name := range slices.Concat(redact.CredentialNames, redact.CredentialWords, redact.CredentialParameters, []string{"x-y", "größe", "GRÖSSE_größe", "m", "kunde-1"}) {
		for _, form := range []string{"%s", "a[%s]", "%s%%AB", "%s-"} {
			if form != "%s" && p.Key(name).Rule == nil || form == "a[%s]" && slices.Contains(redact.CredentialWords, name) {
				continue // a parameter, which is a whole name
			}
			parameter := fmt.Sprintf(form, name)
			for _, parameter := range []string{parameter, strings.ToUpper(parameter), url.QueryEscape(name)} {
				assert.Equal(t, parameter+"=REDACTED", p.ScrubURLs(Query, parameter+"=S"))
			}
		}
	}
}

// FuzzURLs puts a secret into URLs around which anything is, and checks that it does not come out.
func FuzzURLs(f *testing.F) {
	f.Add("/path", "q=1", "top")
	f.Add("?", "a=%26;b=c", "x&y")
	f.Add("#", "%", ";")
	f.Fuzz(func(t *testing.T, path, query, fragment string) {
		const secret = "S3CR3T"
		if strings.Contains(path+query+fragment, secret) || strings.ContainsAny(path+query+fragment, spaces) {
			return
		}
		p := New(Config{}, nil)
		for _, parameter := range []string{"api_key", "token", "sig", "X-Amz-Signature", "user_password"} {
			for _, text := range []string{
				"https://h/?" + parameter + "=" + secret,
				"https://u:" + secret + "@h/" + (&url.URL{Path: path}).EscapedPath() + "?" + query + "&" + parameter + "=" + secret,
				"https://h/?" + parameter + "=" + secret + "&" + query + "#" + fragment,
				"https://h/?" + query + "#" + fragment + "&" + parameter + "=" + secret,
				"https://h/?to=" + url.QueryEscape("https://h/?"+parameter+"="+secret),
			} {
				for _, form := range []URL{AnyText, Address, Name, Line} {
					got := p.ScrubURLs(form, text)
					assert.NotContains(t, got, secret, text)
					assert.Equal(t, got, p.ScrubURLs(form, got), "twice")
				}
			}
		}
		_ = p.ScrubURLs(Connection, path+query)
		_ = p.ScrubURLs(Query, query)
	})
}

func BenchmarkScrubURLs(b *testing.B) {
	p := New(Config{}, nil)
	b.ReportAllocs()
	for b.Loop() {
		p.ScrubURLs(AnyText, "/v1/users/{id}/orders")
	}
}
