// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With 256 MiB and no backend, clients at full speed are told to come again; the process
// lives, and nothing that it took is lost.
func TestLittleMemory(t *testing.T) {
	long(t)
	f := func(name string, start func(*testing.T, string) *scenario, l load) {
		t.Run(name, func(t *testing.T) {
			group := newMemoryGroup(t, 256*mib)
			s := start(t, name)
			s.options.Env["OTELCOL_TC_IN_FLIGHT"] = "64"
			s.sink.away()
			c, clients := s.start(t)
			l.during = 8 * time.Second
			flood(t, clients, l)()
			require.True(t, c.Running(), "peak of %d MiB, %s kills", group.peak(t), group.oomKills(t))
			s.row.told = ask(t, c, l.shape.signal)
			s.note("answers %s", clients.answers)
			assert.Positive(t, clients.answers.of("OK", "200"))
			// How many are told to come again goes by how fast the machine is.
			assert.Equal(t, clients.answers.total(), clients.answers.of("OK", "200", "Unavailable", "503"))

			s.sink.back(t)
			s.awaitDelivered(t)
			assert.Equal(t, "0", group.oomKills(t))
			s.note("peak of %d MiB", group.peak(t))
		})
	}
	// 2.4 MiB on the wire, several times that once decoded.
	small := load{shape: shape{signal: traces, items: 40_000}, via: overGRPC, connections: 4}
	f("07 256 MiB, 40 000 spans a request, 4 connections: gateway", gatewayScenario, small)
	f("07 256 MiB, 40 000 spans a request, 4 connections: agent", agentScenario, small)
	small.connections = 16
	f("07 256 MiB, 40 000 spans a request, 16 connections: gateway", gatewayScenario, small)
	f("07 256 MiB, 40 000 spans a request, 16 connections: agent", agentScenario, small)
	gzip := load{shape: shape{signal: traces, items: 2000, padding: 3 * mib}, via: overHTTPCompressed, connections: 16}
	f("07 256 MiB, gzip that grows to 3 MiB, 16 connections: gateway", gatewayScenario, gzip)
	f("07 256 MiB, gzip that grows to 3 MiB, 16 connections: agent", agentScenario, gzip)
}
