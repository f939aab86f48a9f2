// SPDX-License-Identifier: Apache-2.0

package page

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// ask returns the response to a request.
func ask(t *testing.T, h http.Handler, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, httptest.NewRequest(method, path, strings.NewReader("{}")))
	return answer
}

// newBuilder returns a builder with one service and one metric with hostile names.
func newBuilder(hostile string) *report.Builder {
	now := time.Now()
	b := report.NewBuilder(nil, report.Settings{MaxServices: 1, MaxMetrics: 1, MaxFindings: 1})
	svc := b.Service(hostile, now)
	b.Count(svc, &report.Tallies{report.Owned: {{Checked: 1}}})
	b.Metric(svc, hostile, func() string { return "none" }).Seen(report.Instrument{}, now)
	b.Finding(report.Key{Rule: report.RuleNearBudget, Service: svc, Original: hostile}).Found(1, pcommon.TraceID{})
	return b
}

func handler() http.Handler {
	b := newBuilder("shop")
	return NewHandler(func() *report.Report { return b.Report(time.Now(), true) }, nil)
}

func TestAPI(t *testing.T) {
	const hostile = "<script>alert(1)</script>\u202e"
	want := newBuilder(hostile).Report(time.Now(), true)
	h := NewHandler(func() *report.Report { return want }, nil)

	answer := ask(t, h, http.MethodGet, "/api/v1/report")
	assert.Equal(t, http.StatusOK, answer.Code)
	assert.Equal(t, "application/json", answer.Header().Get("Content-Type"))
	body := answer.Body.Bytes()
	assert.NotContains(t, string(body), "<", "a client that reads it as HTML sees no tag")
	var all map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(body, &all))
	var got report.Report
	require.NoError(t, json.Unmarshal(body, &got))
	assert.Equal(t, hostile, got.Services[0].Name)

	// Each part of the report has its own path.
	for field := range reflect.TypeFor[conformance.Report]().Fields() {
		if kind := field.Type.Kind(); kind != reflect.Slice && (kind != reflect.Struct || field.Type == reflect.TypeFor[time.Time]()) {
			continue
		}
		name := field.Tag.Get("json")
		assert.JSONEq(t, string(all[name]), ask(t, h, http.MethodGet, apiPath+name).Body.String(), name)
	}
	assert.Len(t, got.Findings, 1)
}

// The page has words for each evidence and each reason of log_correlation.
func TestPageExplainsLogs(t *testing.T) {
	script, err := assets.ReadFile("assets/logs.js")
	require.NoError(t, err)
	names := append([]string{conformance.Stated}, conformance.WithoutTrace[:]...)
	for bit := correlation.Evidence(1); bit <= correlation.SameProcess && bit != 0; bit <<= 1 {
		names = append(names, bit.String())
	}
	for _, name := range append(names, correlation.Evidence(0).String()) {
		assert.Contains(t, string(script), "\n  "+name+": ")
	}
}

// TestPageOnlyReads checks that there are no methods that write.
func TestPageOnlyReads(t *testing.T) {
	h := handler()
	paths := []string{"/", "/index.html", "/page.js", "/nowhere", apiPath + "nothing", apiPath + "draft?service=shop", apiPath + "usage", apiPath + "usage.yaml"}
	for part := range reflect.TypeFor[conformance.Report]().Fields() {
		paths = append(paths, apiPath+part.Tag.Get("json"))
	}
	for _, path := range paths {
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions} {
			assert.Equal(t, http.StatusMethodNotAllowed, ask(t, h, method, path).Code, "%s %s", method, path)
		}
	}
	for _, path := range []string{"/nowhere", apiPath + "nothing", "/../page.go", "/.."} {
		assert.NotEqual(t, http.StatusOK, ask(t, h, http.MethodGet, path).Code, path)
	}
}

// TestDraft checks that a draft is served for services of the report only, and never as a page.
func TestDraft(t *testing.T) {
	const hostile = "<script>alert(1)</script>\n"
	last := newBuilder(hostile).Report(time.Now(), true)
	h := NewHandler(func() *report.Report { return last }, nil)
	answer := ask(t, h, http.MethodGet, apiPath+"draft?service="+url.QueryEscape(hostile))
	assert.Equal(t, http.StatusOK, answer.Code)
	assert.Equal(t, "application/yaml; charset=utf-8", answer.Header().Get("Content-Type"))
	assert.Equal(t, "nosniff", answer.Header().Get("X-Content-Type-Options"))
	pack, err := conventions.Parse("draft.yaml", answer.Body.Bytes())
	require.NoError(t, err)
	assert.Equal(t, "script_alert_1_script", pack.System)
	for _, query := range []string{"", "?service=", "?service=nobody", "?service=other", "?service=" + strings.Repeat("x", 10_000)} {
		answer := ask(t, h, http.MethodGet, apiPath+"draft"+query)
		assert.Equal(t, http.StatusNotFound, answer.Code, query)
		assert.Equal(t, "text/plain; charset=utf-8", answer.Header().Get("Content-Type"))
		assert.Less(t, answer.Body.Len(), 1000)
	}
}

// TestPageIsSecured checks that only the page's own scripts may run, and that no page may frame it.
func TestPageIsSecured(t *testing.T) {
	answer := ask(t, handler(), http.MethodGet, "/")
	assert.Equal(t, http.StatusOK, answer.Code)
	assert.Equal(t, "text/html; charset=utf-8", answer.Header().Get("Content-Type"))
	assert.Equal(t, "nosniff", answer.Header().Get("X-Content-Type-Options"))
	policy := answer.Header().Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'", "form-action 'none'", "script-src 'self';"} {
		assert.Contains(t, policy, want)
	}
	assert.NotContains(t, policy, "unsafe")
}
