package chaos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
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

// A SIGKILL in the middle of deliveries: what was on its way comes again, and no more.
func TestKillWhileDelivering(t *testing.T) {
	f := func(name string, start func(*testing.T, string) *scenario) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, name)
			c, clients := s.start(t)
			offerAll(t, clients)
			s.awaitDelivered(t)
			done := s.ledger.tally().offered
			time.Sleep(untilNoted)

			s.sink.respond(answer{delay: 20 * time.Millisecond})
			var loads []load
			for _, signal := range []signal{traces, metrics, logs} {
				loads = append(loads, load{shape{signal: signal, items: 100}, overGRPC, 2, patience})
			}
			wait := flood(t, clients, loads...)
			s.awaitDeliveries(t, done+5000)
			c.Kill(t)
			wait()

			s.sink.respond(answer{})
			s.start(t)
			s.awaitDelivered(t)
			assert.Zero(t, s.ledger.doubledAmong(done), "these were not on their way any more")
			// Three queues with ten consumers each.
			assert.LessOrEqual(t, s.ledger.tally().doubled, 3*10*s.sink.largestRequest())
		})
	}
	f("02 SIGKILL, delivering: gateway", gatewayScenario)
	f("02 SIGKILL, delivering: agent", agentScenario)
}

func terminate(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	exit := c.Stop(t)
	require.Zero(t, exit.Code)
	assert.Less(t, exit.Took, stopLimit)
}

func kill(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	c.Kill(t)
}
