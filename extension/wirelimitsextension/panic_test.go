// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// A panic anywhere in the pipeline gets a response after which clients do not retry. It is
// counted, and logged once for each place.
func TestPanicsAreAnswered(t *testing.T) {
	var process func() // what the pipeline does
	r := newRigWith(t, func(context.Context) error { process(); return nil }, func(*Config) {})
	want := map[string]int64{}
	f := func(do func(), logged int, all ...request) {
		t.Helper()
		process = do
		for _, sent := range all {
			for _, over := range transports {
				answer := over.send(t, r, sent)
				assert.Equal(t, codes.Internal, answer.Code())
				assert.Equal(t, "the request could not be handled: internal error", answer.Message())
				want[strings.TrimPrefix(sent.path, "/v1/")+" "+over.name]++
			}
		}
		assert.Equal(t, want, r.counted("otelcol_wire_limits_panics", "signal", "transport"))
		assert.Equal(t, logged, r.logged.Len())
	}
	small := requests(1, 1)
	f(func() { panic("secret") }, 1, small...)
	f(func() { var missing *rig; _ = missing.http }, 2, small...)
	f(func() { var none []int; none[len(small)]++ }, 3, small[0])

	entry := r.logged.All()[1].ContextMap()
	assert.Contains(t, entry["place"], "TestPanicsAreAnswered")
	assert.Contains(t, entry["stack"], "panic_test.go")
	assert.Contains(t, entry["panic"], "nil pointer dereference")

	// Nothing remains of these requests, and other requests are accepted.
	process = func() {}
	for _, over := range transports {
		assert.Equal(t, codes.OK, over.send(t, r, small[0]).Code())
	}
	collectortest.Eventually(t, time.Minute, func() (bool, string) { return r.inFlight(t) == 0, "something is in flight" })
}

// Panics with http.ErrAbortHandler, and panics after the response has begun, end the connection
// as they do without the extension.
func TestAbortedAnswers(t *testing.T) {
	m := created(t, func(*Config) {})
	f := func(handle http.HandlerFunc) {
		t.Helper()
		wrap, err := m.GetHTTPHandler(t.Context())
		require.NoError(t, err)
		handler, err := wrap(t.Context(), handle)
		require.NoError(t, err)
		server := httptest.NewServer(handler)
		defer server.Close()
		response, err := http.Post(server.URL+"/v1/traces", protobufType, http.NoBody)
		if err == nil {
			_ = response.Body.Close()
		}
		assert.ErrorContains(t, err, "EOF")
		assert.Zero(t, m.inFlight.total())
	}
	f(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	f(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK); panic("late") })
}
