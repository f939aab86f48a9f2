// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

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
