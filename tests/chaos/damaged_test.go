package chaos

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// A queue's file that lost its end: the process starts, and says what it has set aside.
func TestDamagedQueue(t *testing.T) {
	f := func(name string, start func(*testing.T, string) *scenario) {
		t.Run(name, func(t *testing.T) {
			if !hasComponent(t, "storage_guard") {
				t.Skip("the binary has no storage_guard")
			}
			t.Parallel()
			s := start(t, name)
			s.sink.away()
			c, clients := s.start(t)
			offerAll(t, clients)
			c.Kill(t)
			damaged := truncateQueues(t, s.options.Env["OTELCOL_TC_STATE"])

			s.sink.back(t)
			c, clients = s.start(t)
			assert.EqualValues(t, len(damaged), collectortest.Sum(c.SelfMetrics(t)["otelcol_storage_guard_damaged_files"], nil))
			for _, file := range damaged {
				aside, err := filepath.Glob(file + ".damaged-*")
				require.NoError(t, err)
				assert.Len(t, aside, 1, file)
			}
			before := s.ledger.tally()
			offerAll(t, clients)
			s.awaitDeliveries(t, before.delivered+300)
			s.note("%d files set aside", len(damaged))
		})
	}
	f("09 queue files truncated: gateway", gatewayScenario)
	f("09 queue files truncated: agent", agentScenario)
}

// truncateQueues halves the files of all queues, and returns them.
func truncateQueues(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "exporter_*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.NoError(t, os.Truncate(file, info.Size()/2))
	}
	return files
}
