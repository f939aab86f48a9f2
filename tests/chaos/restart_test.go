// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

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

// A client that never ends its request does not keep the process from ending.
func TestEndsWhileClientsAreSlow(t *testing.T) {
	f := func(name string, start func(*testing.T, string) *scenario, hold func(*testing.T, *client)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, name)
			c, clients := s.start(t)
			hold(t, clients)
			// Whole requests after it: the server has surely accepted the first by then.
			offerAll(t, clients)
			exit := c.Stop(t)
			assert.Zero(t, exit.Code)
			collectortest.Within(t, exit.Took, stopLimit)
			s.note("ended after %s", exit.Took.Round(100*time.Millisecond))
			if s.ledger.tally().dropped > 0 {
				s.start(t)
			}
			s.awaitDelivered(t)
		})
	}
	f("10 slow HTTP body: gateway", gatewayScenario, slowHTTP)
	f("10 slow HTTP body: agent", agentScenario, slowHTTP)
	f("10 slow gRPC stream: gateway", gatewayScenario, slowGRPC)
	f("10 slow gRPC stream: agent", agentScenario, slowGRPC)
}

// slowHTTP sends the beginning of a request until the test ends.
func slowHTTP(t *testing.T, c *client) {
	t.Helper()
	connection, err := net.Dial("tcp", c.target.HTTP)
	require.NoError(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	_, err = fmt.Fprintf(connection, "POST /v1/traces HTTP/1.1\r\nHost: %s\r\n"+
		"Content-Type: application/x-protobuf\r\nContent-Length: 1000\r\n\r\nonly the beginning", c.target.HTTP)
	require.NoError(t, err)
}

// slowGRPC opens a call on a connection of its own, and says nothing on it.
func slowGRPC(t *testing.T, c *client) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	stream, err := c.another(t).grpc.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, grpcMethods[traces], grpc.WaitForReady(true))
	require.NoError(t, err)
	require.NotNil(t, stream)
}
