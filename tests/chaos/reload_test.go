// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// The collector stops its pipelines before it reads the configuration again, so it cannot
// go on with the old one: it ends, and what it had accepted waits for the next start.
func TestReloadOfAnInvalidConfiguration(t *testing.T) {
	t.Parallel()
	s := gatewayScenario(t, "11 SIGHUP, invalid configuration")
	file := s.ownChanges(t, "processors: {naming: {mode: enforce}}")
	s.sink.away()
	c, clients := s.start(t)
	offerAll(t, clients)

	require.NoError(t, os.WriteFile(file, []byte("processors: {naming: {mode: shout}}"), 0o600))
	c.Signal(t, syscall.SIGHUP)
	collectortest.Eventually(t, patience, func() (bool, string) { return !c.Running(), "the process goes on" })
	assert.Equal(t, 1, c.Stop(t).Code)
	assert.Contains(t, c.Logs(), "shout", "it says why")
	s.note("ends with exit code 1")

	require.NoError(t, os.WriteFile(file, []byte("processors: {naming: {mode: audit}}"), 0o600))
	s.sink.back(t)
	s.start(t)
	s.awaitDelivered(t)
	assert.Zero(t, s.ledger.tally().doubled)
}

func TestReloadUnderLoad(t *testing.T) {
	f := func(name string, start func(*testing.T, string) *scenario) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, name)
			s.ownChanges(t, "processors: {naming: {mode: enforce}}")
			c, clients := s.start(t)
			wait := flood(t, clients, load{shape{signal: traces, items: 20}, overHTTP, 1, 3 * time.Second},
				load{shape{signal: logs, items: 20}, overGRPC, 1, 3 * time.Second})
			s.awaitDeliveries(t, 1000)
			c.Reload(t)
			c.Reload(t)
			wait()
			s.awaitDelivered(t)
		})
	}
	f("11 SIGHUP twice, valid: gateway", gatewayScenario)
	f("11 SIGHUP twice, valid: agent", agentScenario)
}

// ownChanges merges a file over the profile, and returns its path.
func (s *scenario) ownChanges(t *testing.T, yaml string) string {
	t.Helper()
	file := collectortest.WriteFile(t, "my.yaml", yaml)
	s.options.Configs = append(s.options.Configs, file)
	return file
}
