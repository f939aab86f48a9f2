// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A queue's file that lost its end: the process starts, sends what is left, and accepts new data.
func TestDamagedQueue(t *testing.T) {
	f := func(name string, start func(*testing.T, string) *scenario) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, name)
			s.sink.away()
			c, clients := s.start(t)
			offerAll(t, clients)
			c.Kill(t)
			damaged := truncateQueues(t, s.options.Env["OTELCOL_TC_STATE"])

			s.sink.back(t)
			_, clients = s.start(t)
			offerAll(t, clients)
			s.awaitDeliveries(t, s.ledger.tally().offered/2+1) // the whole requests of what is left, and all new ones
			s.awaitQuiet(t)
			sum := s.ledger.tally()
			assert.Zero(t, sum.doubled)
			assert.Less(t, sum.dropped, sum.offered/2)
			s.note("%d files halved", len(damaged))
		})
	}
	f("09 queue files truncated: gateway", gatewayScenario)
	f("09 queue files truncated: agent", agentScenario)
}

// truncateQueues halves the files of all queues, and returns them.
func truncateQueues(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "spillover", "spillover", "*", "queue", "*.segment"))
	require.NoError(t, err)
	require.Len(t, files, 3, "a queue for each signal")
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.NoError(t, os.Truncate(file, info.Size()/2))
	}
	return files
}
