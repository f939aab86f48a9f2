// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Outages of the next hop.
func TestOutage(t *testing.T) {
	f := func(name string, start func(*testing.T, string) *scenario, begin, end func(*testing.T, *sink), extent time.Duration) {
		t.Run(name, func(t *testing.T) {
			if extent > 5*time.Second {
				long(t)
			}
			t.Parallel()
			s := start(t, name)
			begin(t, s.sink)
			c, clients := s.start(t)
			offerAll(t, clients)
			time.Sleep(extent) // the outage itself
			offerAll(t, clients)
			end(t, s.sink)
			s.awaitDelivered(t)
			s.row.told = ask(t, c, traces)
			assert.Equal(t, told{}, s.row.told)
			assert.Zero(t, s.ledger.tally().dropped)
		})
	}
	away := func(_ *testing.T, s *sink) { s.away() }
	back := func(t *testing.T, s *sink) { t.Helper(); s.back(t) }
	respond := func(a answer) func(*testing.T, *sink) {
		return func(_ *testing.T, s *sink) { s.respond(a) }
	}
	well := respond(answer{})
	f("03 outage of 2 s: gateway", gatewayScenario, away, back, 2*time.Second)
	f("03 outage of 2 s: agent", agentScenario, away, back, 2*time.Second)
	f("03 outage of 30 s: gateway", gatewayScenario, away, back, 30*time.Second)
	f("03 outage of 30 s: agent", agentScenario, away, back, 30*time.Second)
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		busy := answer{status: status, retryAfter: time.Second}
		f(fmt.Sprintf("12 backend answers %d, Retry-After: 1", status), gatewayScenario, respond(busy), well, 2*time.Second)
	}
	f("12 backend answers 502", gatewayScenario, respond(answer{status: http.StatusBadGateway}), well, 2*time.Second)
	f("17 backend hangs", gatewayScenario, respond(answer{hang: true}), well, 35*time.Second)
	f("17 gateway hangs", agentScenario, respond(answer{hang: true}), well, 10*time.Second)
}
