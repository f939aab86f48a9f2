// SPDX-License-Identifier: Apache-2.0

package content

import (
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
	f := func(form URL, text, want string) {
		t.Helper()
		got := p.ScrubURLs(form, text)
		assert.Equal(t, want, got)
		assert.Equal(t, got, p.ScrubURLs(form, got), "twice")
	}
	same := func(form URL, text string) {
		t.Helper()
		f(form, text, text)
	}
	f(AnyText, "https://u:p@h/x?a=b", "https://REDACTED@h/x?a=b")
	f(AnyText, "see https://h/?api_key=S&x=1 and more=2", "see https://h/?api_key=REDACTED&x=1 and more=2")
	f(AnyText, `{"u":"https://h/?sig=S","x":"y=z"}`, `{"u":"https://h/?sig=REDACTED","x":"y=z"}`)
	f(AnyText, "https://h/?next=/login?token=S&a=b", "https://h/?next=/login?token=REDACTED&a=b")
	f(AnyText, "https://h/?to=https://i/?sig=S?T", "https://h/?to=https://i/?sig=REDACTED")
	f(AnyText, `{"u":"https://h/?a=1\u0026sig=S\u0026b=2"}`, `{"u":"https://h/?a=1\u0026sig=REDACTED\u0026b=2"}`)
	f(AnyText, `"https://h/?a\u0026sig=S"`, `"https://h/?a\u0026sig=REDACTED"`)
	same(AnyText, "https://h/?x=1 a&token=5")
	same(AnyText, "/x?api_key=not-a-url")
	same(AnyText, "id=1;key=5;code=7 of https://h/x?a=b and #token=1")
	same(AnyText, "https://h/search?q=a&limit=10#top")
	same(AnyText, "https://REDACTED:REDACTED@h/x?sig=REDACTED")
	f(Address, "/x?token=S", "/x?token=REDACTED")
	f(Address, "GET /x?api_key=S", "GET /x?api_key=REDACTED")
	f(Address, "//u:p@h/x", "//REDACTED@h/x")
	f(Address, "/x;jsessionid=S?a=b", "/x;jsessionid=REDACTED")
	f(Address, "https://h/cb#access_token=S&state=x", "https://h/cb#access_token=REDACTED&state=x")
	f(Address, "https://h/#/cb?id_token=S", "https://h/#/cb?id_token=REDACTED")
	f(Address, "/x?a=1;password=S;b=2", "/x?a=1;password=REDACTED;b=2")
	f(Address, "/x?password=S;T&b=2", "/x?password=REDACTED&b=2")
	f(Address, "/x?API%5FKEY=S&Magic=S&AWSAccessKeyId=S", "/x?API%5FKEY=REDACTED&Magic=REDACTED&AWSAccessKeyId=REDACTED")
	f(Address, "/x?a=1&amp;token=S", "/x?a=1&amp;token=REDACTED")
	f(Address, "/x?token==S==&b=", "/x?token=REDACTED&b=")
	f(Address, "/x?X-Amz-Signature=S&X-Amz-Credential=S%2F1&X-Amz-Expires=60", "/x?X-Amz-Signature=REDACTED&X-Amz-Credential=REDACTED&X-Amz-Expires=60")
	f(Address, "/x?X-Goog-Signature=S&key=S&code=S", "/x?X-Goog-Signature=REDACTED&key=REDACTED&code=REDACTED")
	f(Address, "/r?to=https%3A%2F%2Fu%3Ap%40h%2F%3Ftoken%3DS", "/r?to=https%3A%2F%2FREDACTED%40h%2F%3Ftoken%3DREDACTED")
	f(Address, "/r?to=%252Fx%253Ftoken%253DS", "/r?to=%252Fx%253Ftoken%253DREDACTED")
	f(Address, "/r%3Ftoken%3DS", "%2Fr%3Ftoken%3DREDACTED")
	same(Address, "SELECT * FROM t WHERE a=? AND token=5")
	same(Address, "/x?q=100%&b=%zz")
	same(Address, "token=not-a-parameter")
	f(Name, "GET /x?api_key=S: refused", "GET /x?api_key=REDACTED refused")
	f(Name, "GET ?token=S", "GET ?token=REDACTED")
	f(Name, "GET https://u:p@h/#token=S", "GET https://REDACTED@h/#token=REDACTED")
	same(Name, "GET /x exit;code=5")
	same(Name, "redis.GET;key=user:1 a#code=2")
	f(Line, `10.0.0.1 "GET /x?a=1&token=S HTTP/1.1" 200`, `10.0.0.1 "GET /x?a=1&token=REDACTED HTTP/1.1" 200`)
	f(Line, "dial https://u:p@h/#token=S: refused", "dial https://REDACTED@h/#token=REDACTED refused")
	same(Line, "what? key=5;code=7 password=x /x;token=5 GET /x")
	f(Query, "token=S&a=b", "token=REDACTED&a=b")
	f(Query, "user[password]=S", "user[password]=REDACTED")
	f(Connection, "Server=db;User Id=sa;Password=S,T U;Encrypt=true", "Server=db;User Id=sa;Password=REDACTED;Encrypt=true")
	f(Connection, `Server=db;Pwd="S;T";X=1`, `Server=db;Pwd=REDACTED;X=1`)
	f(Connection, `Server=db;Pwd="S""T;U";X=1`, `Server=db;Pwd=REDACTED;X=1`)
	f(Connection, "host=db password=S ,\t U dbname=x", "host=db password=REDACTED dbname=x")
	f(Connection, "host=db password='S T' dbname=x", "host=db password=REDACTED dbname=x")
	f(Connection, "host=db password=S dbname=x", "host=db password=REDACTED dbname=x")
	f(Connection, "user:S@tcp(db:3306)/x", "REDACTED@tcp(db:3306)/x")
	f(Connection, "jdbc:sqlserver://db:1433;user=sa;password=S;x=y", "jdbc:sqlserver://db:1433;user=sa;password=REDACTED;x=y")
	f(Connection, "postgresql://u:S@db/x?sslpassword=S", "postgresql://REDACTED@db/x?sslpassword=REDACTED")
	f(Connection, "AccountName=x;AccountKey=S==;EndpointSuffix=y", "AccountName=x;AccountKey=REDACTED;EndpointSuffix=y")
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
