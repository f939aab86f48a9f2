// SPDX-License-Identifier: Apache-2.0

package content

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFormsOfURLs(t *testing.T) {
	for key, want := range map[string]URL{
		"url.full": Address, "http.url": Address, "http.target": Address, "url.path": Address, "url.original": Address, "http.request.header.referer": Address,
		"request_uri": Address, "webhook_url": Address, ":path": Address, "webhookUrl": Address, "http_referer": Address, "request": Line,
		"url.query": Query, "url.fragment": Query, "http.query_string": Query, "query_string": Query, "uri_query": Query,
		"process.command_args": Command, "process.command_line": Command,
		"db.connection_string": Connection, "dsn": Connection, "SENTRY_DSN": Connection, "ConnectionStrings": AnyText,
		"server.address": AnyText, "peer.address": AnyText, "db.query": AnyText, "": AnyText, "curly": AnyText, "code.file.path": AnyText,
	} {
		assert.Equal(t, want, urlOf(key), key)
	}
}

func TestURLsOfKeys(t *testing.T) {
	p := New(Config{}, nil)
	for key, text := range map[string]string{
		"request_uri": "/x?api_key=SECRET", "webhook_url": "/api/webhooks/17/SECRET", ":path": "/bot17:SECRET/getMe",
		"request": "GET /x?api_key=SECRET HTTP/1.1", "query_string": "a=b&token=SECRET",
		"RequestPath": "/x?token=SECRET", "requestURI": "/x?token=SECRET", "RawQuery": "a=b&token=SECRET", "note": `https:\/\/u:SECRET@h\/x`,
	} {
		assert.NotContains(t, p.ScrubURLs(p.Key(key).URL, text), "SECRET", key)
	}
}
