// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

func TestScrub(t *testing.T) {
	v := NewVocabulary(nil, []string{"magic"})
	forms := map[string]Form{"AnyText": AnyText, "Address": Address, "Query": Query, "Connection": Connection, "Pairs": Pairs, "Name": Name, "Line": Line}
	for _, sample := range testfiles.Cases[struct{ Form, Text, Want string }](t, "testdata/urls.yaml") {
		form, ok := forms[sample.Form]
		assert.True(t, ok, sample.Form)
		got := v.Scrub(form, sample.Text)
		assert.Equal(t, cmp.Or(sample.Want, sample.Text), got)
		assert.Equal(t, got, v.Scrub(form, got), "twice")
	}
}

func TestURLsOfSystems(t *testing.T) {
	for _, text := range lines(t, "systems.txt") {
		require.Contains(t, text, "SECRET")
		for _, form := range []Form{AnyText, Address, Name, Line} {
			if form != Address && firstScheme(text, true) < 0 {
				continue
			}
			got := standard.Scrub(form, text)
			assert.NotContains(t, got, "SECRET", text)
			assert.Contains(t, got, "REDACTED")
			assert.Equal(t, got, standard.Scrub(form, got), "twice")
		}
	}
	for _, text := range lines(t, "harmless.txt") {
		for _, form := range []Form{AnyText, Address, Name, Line} {
			assert.Equal(t, text, standard.Scrub(form, text))
		}
	}
}

// Nobody can stop a collector with a text. Each took minutes when every part was searched for its end: then this test
// does not end in time.
func TestHostileTextsTakeLinearTime(*testing.T) {
	const n = 1 << 17
	for _, text := range []string{
		"http://h/?" + strings.Repeat("&a=", n), "http://h/?" + strings.Repeat("?a=", n), "http://h/?" + strings.Repeat(";a=", n),
		strings.Repeat("a://", n), strings.Repeat("a://b@", n), strings.Repeat("a:b://", n), strings.Repeat(`a:\/\/`, n), `a:\/\/` + strings.Repeat(`\`, n),
		"a=" + strings.Repeat(" ", n), "a=" + strings.Repeat(" ,b", n), `a="` + strings.Repeat(`""`, n), strings.Repeat("a://b/hooks/", n),
		"a://h/?" + strings.Repeat(`\u0026sig\u003d`, n), "a://h/?" + strings.Repeat(`sig=\`, n),
	} {
		for form := range LastForm + 1 {
			_ = standard.Scrub(form, text)
		}
	}
}

// The quick look at the last letters of a name never hides a secret.
func TestNamesOfParameters(t *testing.T) {
	v := NewVocabulary([]string{"x_y", "größe"}, []string{"m", "Kunde-1"})
	for _, name := range slices.Concat(CredentialNames, CredentialWords, CredentialParts, CredentialWholes, CredentialParameters, []string{"x-y", "größe", "GRÖSSE_größe", "m", "kunde-1"}) {
		for _, form := range []string{"%s", "a[%s]", "%s%%AB", "%s-"} {
			if form != "%s" && v.find(name, true) == "" || form == "a[%s]" && slices.Contains(CredentialWholes, name) {
				continue // a parameter, which is a whole name
			}
			parameter := fmt.Sprintf(form, name)
			for _, parameter := range []string{parameter, strings.ToUpper(parameter), url.QueryEscape(name)} {
				assert.Equal(t, parameter+"=REDACTED", v.Scrub(Query, parameter+"=S"))
			}
		}
	}
}

// FuzzURLs puts a secret into URLs around which anything is, and checks that it does not come out.
func FuzzURLs(f *testing.F) {
	f.Add("/path", "q=1", "top")
	f.Add("?", "a=%26;b=c", "x&y")
	f.Add("#", "%", ";")
	f.Add(`\/`, `\u0026`, `\\`)
	f.Fuzz(func(t *testing.T, path, query, fragment string) {
		const secret = "S3CR3T"
		if strings.Contains(path+query+fragment, secret) || strings.ContainsAny(path+query+fragment, spaces) {
			return
		}
		for _, parameter := range []string{"api_key", "token", "sig", "X-Amz-Signature", "user_password", "gh_token"} {
			for _, text := range []string{
				"https://h/?" + parameter + "=" + secret,
				"https://u:" + secret + "@h/" + (&url.URL{Path: path}).EscapedPath() + "?" + query + "&" + parameter + "=" + secret,
				"https://h/?" + parameter + "=" + secret + "&" + query + "#" + fragment,
				"https://h/?" + query + "#" + fragment + "&" + parameter + "=" + secret,
				"https://h/?to=" + url.QueryEscape("https://h/?"+parameter+"="+secret),
				"https://h/bot17:" + secret + "/" + (&url.URL{Path: path}).EscapedPath() + "?" + query,
			} {
				for _, form := range []Form{AnyText, Address, Name, Line} {
					for _, text := range []string{text, strings.NewReplacer("/", `\/`, "&", `\u0026`).Replace(text)} {
						if strings.Contains(text, `\/`) && strings.Contains(path+query+fragment, `\`) {
							continue // no JSON
						}
						got := standard.Scrub(form, text)
						assert.NotContains(t, got, secret, text)
						assert.Equal(t, got, standard.Scrub(form, got), "twice")
					}
				}
			}
		}
		for form := range LastForm + 1 {
			got := standard.Scrub(form, path+query)
			if form != Connection {
				assert.Equal(t, got, standard.Scrub(form, got), "twice")
			}
		}
	})
}
