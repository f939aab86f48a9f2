// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

const oneService = `{"at": "2026-01-02T10:00:00Z", "prefix": "tc_", "services": [{"name": "shop"}],
	"findings": [{"rule": "not_conformant", "naming": "metric_general", "signal": "metric", "service": "shop", "original": "orders", "suggestion": "tc_orders"}]}`

func TestDraft(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/report" {
			http.NotFound(w, r)
			return
		}
		w.Write([]byte(oneService)) //nolint:errcheck // a test fails without it
	}))
	defer page.Close()
	file := filepath.Join(t.TempDir(), "report.json")
	require.NoError(t, os.WriteFile(file, []byte(oneService), 0o600))

	var texts []string
	for _, from := range []string{page.URL, page.URL + "/", page.URL + "/api/v1/report", file} {
		code, out, errOut := run(t, "draft", "--from", from)
		require.Equal(t, 0, code, errOut)
		texts = append(texts, out)
		assert.Equal(t, texts[0], out)
	}
	_, err := conventions.Parse("draft.yaml", []byte(texts[0]))
	require.NoError(t, err, texts[0])
	assert.Contains(t, texts[0], "orders: tc_orders")
}

func TestDraftErrors(t *testing.T) {
	f := func(report, want string, args ...string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "report.json")
		require.NoError(t, os.WriteFile(file, []byte(report), 0o600))
		code, out, errOut := run(t, append([]string{"draft", "--from", file}, args...)...)
		assert.Equal(t, 2, code)
		assert.Empty(t, out)
		assert.Contains(t, errOut, want)
	}
	f("<html>", "--from: must be a report of the conformance connector in JSON")
	f(`{}`, "the report has no services yet")
	f(`{"services": [{"name": "a"}, {"name": "b"}]}`, "--service must be set: the report has a, b")
	f(oneService, `the report has no service "b"`, "--service", "b")

	_, _, errOut := run(t, "draft", "--from", "/nosuch.json")
	assert.Contains(t, errOut, "/nosuch.json")
	page := httptest.NewServer(http.NotFoundHandler())
	defer page.Close()
	_, _, errOut = run(t, "draft", "--from", page.URL)
	assert.Contains(t, errOut, "404 Not Found")
}
