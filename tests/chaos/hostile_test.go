// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// What a backend rejects of requests that it accepts is lost, and a counter says how much.
func TestBackendRejects(t *testing.T) {
	t.Parallel()
	s := gatewayScenario(t, "22 backend rejects items of requests that it accepts")
	c, clients := s.start(t)
	s.sink.respond(answer{rejects: true})
	offer(t, clients, traces, 10)
	collectortest.Eventually(t, patience, func() (bool, string) {
		counted := collectortest.Sum(c.SelfMetrics(t)["otelcol_partial_success_rejected_items"], map[string]string{"signal": "traces"})
		return counted == 200, fmt.Sprintf("%v of 200 items counted as rejected", counted)
	})
	s.sink.respond(answer{})
	offer(t, clients, traces, 5)
	s.awaitDeliveries(t, 100)
	assert.Equal(t, 200, s.ledger.tally().dropped)
	s.note("counted as rejected: 200")
}
