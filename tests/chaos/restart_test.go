// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"math/rand/v2"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// What waits for a backend that is away waits over the end of the process as well, however
// that ends.
func TestRestartWhileTheBackendIsAway(t *testing.T) {
	f := func(name string, start func(*testing.T, string) *scenario, end func(*testing.T, *collectortest.Collector)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, name)
			s.sink.away()
			c, clients := s.start(t)
			offerAll(t, clients)
			end(t, c)

			s.sink.back(t)
			s.start(t)
			s.awaitDelivered(t)
			sum := s.ledger.tally()
			assert.Equal(t, sum.offered, sum.delivered)
			assert.Zero(t, sum.doubled, "nothing had been delivered before")
		})
	}
	f("01 SIGTERM, backend away: gateway", gatewayScenario, terminate)
	f("01 SIGTERM, backend away: agent", agentScenario, terminate)
	f("02 SIGKILL, backend away: gateway", gatewayScenario, kill)
	f("02 SIGKILL, backend away: agent", agentScenario, kill)
}

// An agent whose gateway takes requests and never answers ends in time, and sends them after it started again.
func TestEndsWhileTheGatewayHangs(t *testing.T) {
	t.Parallel()
	s := agentScenario(t, "17 SIGTERM, gateway hangs: agent")
	s.options.Env["OTELCOL_TC_PATIENCE"] = "2s"
	s.sink.respond(answer{hang: true})
	c, clients := s.start(t)
	offerAll(t, clients)
	exit := c.Stop(t)
	assert.Zero(t, exit.Code)
	collectortest.Within(t, exit.Took, stopLimit)
	s.sink.respond(answer{})
	s.start(t)
	s.awaitDelivered(t)
}

// SIGKILL at random instants under load, while data goes directly, while it waits and while it is drained:
// what was accepted arrives, and only what was on its way comes twice.
func TestKilledAgainAndAgain(t *testing.T) {
	kills := 3
	if os.Getenv("TC_CHAOS") != "" {
		kills = 12
	}
	kills = soak.Count(t, "TC_KILLS", kills)
	f := func(name string, start func(*testing.T, string) *scenario) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, name)
			random := rand.New(rand.NewPCG(1, 2))
			for i := range kills {
				c, clients := s.start(t)
				var loads []load
				for _, signal := range []signal{traces, metrics, logs} {
					loads = append(loads, load{shape{signal: signal, items: 100}, overGRPC, 1, patience})
				}
				wait := flood(t, clients, loads...)
				time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
				// Two lives of three change what the backend does: data waits, and is drained in the next life.
				switch i % 3 {
				case 1:
					s.sink.respond(answer{status: http.StatusServiceUnavailable})
				case 2:
					s.sink.respond(answer{})
				}
				time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
				c.Kill(t)
				wait()
			}
			s.sink.respond(answer{})
			s.start(t)
			s.awaitDelivered(t)
			sum := s.ledger.tally()
			s.note("%d kills, %d items accepted", kills, sum.accepted)
			// Directly, ten batches of traces and of logs and one of metrics wait for an answer. From the queues,
			// one batch of each does.
			assert.LessOrEqual(t, sum.doubled, kills*21*s.sink.largestRequest())
		})
	}
	f("02 SIGKILL again and again: gateway", gatewayScenario)
	f("02 SIGKILL again and again: agent", agentScenario)
}

func terminate(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	exit := c.Stop(t)
	require.Zero(t, exit.Code)
	collectortest.Within(t, exit.Took, stopLimit)
}

func kill(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	c.Kill(t)
}
