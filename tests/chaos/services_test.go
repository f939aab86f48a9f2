// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// kubernetesScenario is builtin:agent as it is in a cluster, whose API does not answer: it
// serves nevertheless, and what it cannot know is missing from the data.
func kubernetesScenario(t *testing.T, name string) *scenario {
	t.Helper()
	s := agentScenario(t, name)
	s.options.Configs = []string{"builtin:agent"}
	s.options.Env["KUBECONFIG"] = collectortest.Kubeconfig(t, "https://"+collectortest.FreeAddress(t))
	s.options.Env["OTELCOL_TC_KUBERNETES_AUTH"] = "kubeConfig"
	return s
}

// The gateways' common index is away: data passes, without what the index would add.
func TestRedisAway(t *testing.T) {
	t.Parallel()
	s := gatewayScenario(t, "19 Redis away, OTELCOL_TC_INDEX=redis")
	s.options.Env["OTELCOL_TC_INDEX"] = "redis"
	s.options.Env["OTELCOL_TC_REDIS_ENDPOINT"] = collectortest.FreeAddress(t)
	c, clients := s.start(t)
	s.note("healthy after %s", c.StartTook.Round(100*time.Millisecond))
	offerAll(t, clients)
	s.awaitDelivered(t)
	terminate(t, c)
	assert.Zero(t, s.ledger.tally().doubled)
}

// A sender whose clock is a day ahead.
func TestClockAhead(t *testing.T) {
	t.Parallel()
	s := gatewayScenario(t, "20 sender's clock is a day ahead")
	_, clients := s.start(t)
	for _, signal := range []signal{traces, metrics, logs} {
		made := newTemplate(t, shape{signal: signal, items: 20, ahead: 24 * time.Hour})
		require.True(t, clients.send(made, overHTTP))
		offer(t, clients, signal, 1)
	}
	s.awaitDelivered(t)
}
