// SPDX-License-Identifier: Apache-2.0

package page

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/livetail"
)

// handlerOf returns a handler whose report has services, and its tail.
func handlerOf(services ...string) (http.Handler, *livetail.Hub) {
	b := report.NewBuilder(nil, report.Settings{Limit: 1, MaxServices: len(services), MaxMetrics: 1, MaxFindings: 1})
	for _, name := range services {
		b.Count(b.Service(name, time.Now()), &report.Tallies{report.Owned: {{Checked: 1}}})
	}
	last, tail := b.Report(time.Now(), true), &livetail.Hub{}
	return NewHandler(func() *report.Report { return last }, tail), tail
}

func tailPath(service, more string) string {
	return apiPath + "tail?service=" + url.QueryEscape(service) + more
}

func TestTail(t *testing.T) {
	const hostile = "<script>alert(1)</script>\u202e"
	h, tail := handlerOf(hostile, "shop")
	poll := func(more string) (a livetail.Answer) {
		t.Helper()
		answer := ask(t, h, http.MethodGet, tailPath(hostile, more))
		require.Equal(t, http.StatusOK, answer.Code)
		assert.Equal(t, "application/json", answer.Header().Get("Content-Type"))
		assert.Equal(t, "nosniff", answer.Header().Get("X-Content-Type-Options"))
		assert.NotContains(t, answer.Body.String(), "<", "a client that reads it as HTML sees no tag")
		require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &a))
		return a
	}
	assert.False(t, tail.Watched())
	assert.Equal(t, livetail.Answer{Pairs: []livetail.Pair{}}, poll(""))
	assert.True(t, tail.Wants(hostile))
	assert.False(t, tail.Wants("shop"))
	for range 3 {
		row := livetail.Row{Place: livetail.Attribute, Mark: livetail.Changed, Before: &livetail.Field{Key: hostile, Value: "1"}, After: &livetail.Field{Key: hostile, Value: "2"}}
		tail.Publish(hostile, livetail.Pair{Stage: "naming", Signal: "traces", Rows: []livetail.Row{row}})
	}
	all := poll("&after=0")
	require.Len(t, all.Pairs, 3)
	assert.Equal(t, hostile, all.Pairs[0].Rows[0].Before.Key)
	rest := poll("&after=" + strconv.FormatUint(all.Pairs[1].Seq, 10))
	assert.Equal(t, all.Pairs[2:], rest.Pairs)
	assert.Equal(t, all.Last, rest.Last)
}

func TestTailErrors(t *testing.T) {
	h, tail := handlerOf("shop", "1", "2", "3", "4")
	f := func(path string, code int, want string) {
		t.Helper()
		answer := ask(t, h, http.MethodGet, path)
		assert.Equal(t, code, answer.Code, path)
		assert.Equal(t, "text/plain; charset=utf-8", answer.Header().Get("Content-Type"))
		assert.Contains(t, answer.Body.String(), want)
		assert.Less(t, answer.Body.Len(), 1000)
	}
	f(tailPath("nobody", ""), http.StatusNotFound, `service: must be one of the report (got "nobody")`)
	f(tailPath(strings.Repeat("x", 10_000), ""), http.StatusNotFound, "service: must be one of the report")
	f(apiPath+"tail", http.StatusNotFound, `(got "")`)
	f(tailPath("shop", "&after=-1"), http.StatusBadRequest, `after: must be the number of a pair (got "-1")`)
	assert.False(t, tail.Watched(), "an error watches nothing")
	for i := range livetail.MaxWatched {
		require.Equal(t, http.StatusOK, ask(t, h, http.MethodGet, tailPath(strconv.Itoa(i+1), "")).Code)
	}
	f(tailPath("shop", ""), http.StatusTooManyRequests, "at most 4 that are watched at one time")

	b := newBuilder("shop")
	h = NewHandler(func() *report.Report { return b.Report(time.Now(), true) }, nil)
	f(tailPath("shop", ""), http.StatusNotImplemented, "needs the extension conventions")
}

// TestTailOnlyReads checks that a request with another method watches nothing.
func TestTailOnlyReads(t *testing.T) {
	h, tail := handlerOf("shop")
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions} {
		assert.Equal(t, http.StatusMethodNotAllowed, ask(t, h, method, tailPath("shop", "")).Code, method)
	}
	assert.False(t, tail.Watched())
}

// TestTailIsNotForOtherPages checks that a page of another site cannot take the places of watches.
func TestTailIsNotForOtherPages(t *testing.T) {
	h, tail := handlerOf("shop")
	for site, want := range map[string]int{"cross-site": http.StatusForbidden, "same-origin": http.StatusOK, "none": http.StatusOK} {
		request, answer := httptest.NewRequest(http.MethodGet, tailPath("shop", ""), http.NoBody), httptest.NewRecorder()
		request.Header.Set("Sec-Fetch-Site", site)
		watched := tail.Watched()
		h.ServeHTTP(answer, request)
		assert.Equal(t, want, answer.Code, site)
		assert.Equal(t, watched || want == http.StatusOK, tail.Watched(), site)
	}
}
