// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// deaths is at how many deaths of the process in a row a request is set aside.
const deaths = 3

// A request during which the process dies each time is set aside, and what comes beside it is
// delivered. The next hop is away and the exporter waits for it, so that the request is in
// flight when the test kills the process.
func TestPoison(t *testing.T) {
	f := func(name string, start func(*testing.T, string) *scenario, waits string, via transport, refused string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, name)
			shipped := s.options.Configs
			s.options.Configs = slices.Concat(shipped, []string{waits})
			made := newTemplate(t, shape{signal: traces, items: 20})
			poison := made.request(s.ledger.offer(made.items))
			s.sink.away()
			for range deaths {
				s.dieAt(t, made, poison, via)
			}

			s.sink.back(t)
			s.options.Configs = shipped
			c, clients := s.start(t)
			ctx, cancel := context.WithTimeout(t.Context(), answerTimeout)
			defer cancel()
			got, err := via(ctx, clients, made, poison)
			require.Error(t, err)
			assert.Equal(t, refused, got)
			offerAll(t, clients)
			s.awaitDelivered(t)
			files, err := filepath.Glob(filepath.Join(s.options.Env["OTELCOL_TC_STATE"], "wire_limits", "set-aside", "*"))
			require.NoError(t, err)
			assert.Len(t, files, 1)
			assert.Equal(t, 1.0, collectortest.Sum(c.SelfMetrics(t)["otelcol_wire_limits_set_aside_requests"], nil))
			s.note("set aside after %d deaths", deaths)
		})
	}
	// The requests wait for the next hop, and not in the queue.
	const waits = "yaml:{connectors: {spillover: {patience: 1h}}, exporters: {%s: {retry_on_failure: {max_elapsed_time: 1h}}}}"
	f("21 poison request: gateway", gatewayScenario, fmt.Sprintf(waits, "otlp_http"), overGRPC, "InvalidArgument")
	f("21 poison request: agent", agentScenario, fmt.Sprintf(waits, "rendezvous"), overHTTP, "400")
}

// dieAt kills the process while it handles a request.
func (s *scenario) dieAt(t *testing.T, made *template, request []byte, via transport) {
	t.Helper()
	c, clients := s.start(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = via(ctx, clients, made, request)
	}()
	collectortest.Eventually(t, patience, func() (bool, string) {
		held := collectortest.Sum(c.SelfMetrics(t)["otelcol_wire_limits_in_flight"], nil)
		return held >= float64(len(request)), "the request has not come"
	})
	c.Kill(t)
	<-ended
}
