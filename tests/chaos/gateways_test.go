// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// One of two gateways is away while clients go on, and the agent is killed meanwhile.
func TestOneOfTwoGatewaysAway(t *testing.T) {
	f := func(name string, killed bool) {
		t.Run(name, func(t *testing.T) {
			if !hasComponent(t, "rendezvous") {
				t.Skip("the binary has no rendezvous")
			}
			t.Parallel()
			s := agentScenario(t, name)
			other := startSink(t, s.ledger)
			s.options.Env["OTELCOL_TC_GATEWAYS"] = fmt.Sprintf("[%q, %q]", s.sink.grpc.address, other.grpc.address)
			c, clients := s.start(t)
			offerAll(t, clients)
			s.awaitDelivered(t)

			other.away()
			wait := flood(t, clients, load{shape{signal: traces, items: 50}, overHTTP, 1, time.Second},
				load{shape{signal: logs, items: 50}, overGRPC, 1, time.Second})
			wait()
			if killed {
				c.Kill(t)
				_, clients = s.start(t)
			}
			offerAll(t, clients)
			other.back(t)
			s.awaitDelivered(t)
			sum := s.ledger.tally()
			if killed {
				// What the one had taken of batches that waited for the other.
				assert.LessOrEqual(t, sum.doubled, sum.accepted/2)
			} else {
				assert.Zero(t, sum.doubled)
			}
		})
	}
	f("06 one of two gateways away", false)
	f("06 one of two gateways away, SIGKILL", true)
}
