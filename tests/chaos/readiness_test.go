// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// hurriedReadiness has readiness tell within seconds.
const hurriedReadiness = "yaml:extensions::readiness: {grace: 2s, interval: 500ms}"

// While nothing that is exported is taken, the health check is green, and readiness says
// why it is useless. The alert is in TestDashboardsAndAlerts of tests/conformance.
func TestReadinessTellsThatExportFails(t *testing.T) {
	t.Parallel()
	s := gatewayScenario(t, "16 export fails for good")
	s.options.Configs = append(s.options.Configs, hurriedReadiness)
	c, clients := s.start(t)
	s.sink.respond(answer{status: http.StatusBadRequest})
	made := newTemplate(t, shape{signal: traces, items: 20})
	awaitReadiness(t, c, func(_ int, body string) bool {
		// Failures have to go on for it.
		assert.False(t, clients.send(made, overHTTP))
		return strings.Contains(body, "exporter_failing")
	})
	assert.True(t, c.Healthy())
	s.row.told = ask(t, c, traces)
	assert.Positive(t, s.row.told.failed)
}

// awaitReadiness waits for an answer of readiness.
func awaitReadiness(t *testing.T, c *collectortest.Collector, want func(status int, body string) bool) {
	t.Helper()
	collectortest.Eventually(t, patience, func() (bool, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+c.Readiness, http.NoBody)
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return want(response.StatusCode, string(body)), response.Status + " " + string(body)
	})
}
