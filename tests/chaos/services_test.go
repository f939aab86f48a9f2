// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"fmt"
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
	config := collectortest.WriteFile(t, "kubeconfig", fmt.Sprintf(`
apiVersion: v1
kind: Config
clusters: [{name: away, cluster: {server: "https://%s"}}]
contexts: [{name: away, context: {cluster: away, user: nobody}}]
users: [{name: nobody, user: {}}]
current-context: away
`, closedPort(t)))
	s.options.Env["KUBECONFIG"] = config
	s.options.Env["OTELCOL_TC_KUBERNETES_AUTH"] = "kubeConfig"
	return s
}

// The gateways' common index is away: data passes, without what the index would add.
func TestRedisAway(t *testing.T) {
	t.Parallel()
	s := gatewayScenario(t, "19 Redis away, OTELCOL_TC_INDEX=redis")
	s.options.Env["OTELCOL_TC_INDEX"] = "redis"
	s.options.Env["OTELCOL_TC_REDIS_ENDPOINT"] = closedPort(t)
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

// closedPort returns an address that nobody listens on.
func closedPort(t *testing.T) string {
	t.Helper()
	address := collectortest.FreeAddress(t)
	return address
}
