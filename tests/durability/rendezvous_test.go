// SPDX-License-Identifier: Apache-2.0

package durability

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// A gateway that restarts under load: the other takes its share meanwhile, nothing is
// lost or comes twice, and its share returns to it.
func TestRendezvousOverARestart(t *testing.T) {
	t.Parallel()
	one, two := startSpanSink(t), startSpanSink(t)
	c := collectortest.Start(t, toSinks("yaml:{}", one, two))
	load := startSpanLoad(t, c)
	one.awaitMore(t, 500)
	two.awaitMore(t, 500)

	two.stop()
	one.awaitMore(t, 3000)
	two.start(t)
	two.awaitMore(t, 500)
	load.stop(t)
	requireAllOnce(t, load.sent, one, two)

	metrics := c.SelfMetrics(t)
	sum := func(name string, labels map[string]string) int {
		return int(collectortest.Sum(metrics["otelcol_rendezvous_"+name], labels))
	}
	assert.Equal(t, one.len(), sum("sent_items", map[string]string{"endpoint": one.address, "signal": "traces", "exporter": "rendezvous"}))
	assert.Equal(t, two.len(), sum("sent_items", map[string]string{"endpoint": two.address}))
	assert.NotZero(t, sum("failover_items", map[string]string{"endpoint": one.address}))
	assert.NotZero(t, sum("failed_items", map[string]string{"endpoint": two.address, "cause": "away"}))
	assert.Zero(t, sum("unsure_items", nil))
	assert.Zero(t, sum("dropped_items", nil))
	assert.Equal(t, 2.0, collectortest.Sum(metrics["otelcol_rendezvous_endpoints"], nil))
	assert.Zero(t, collectortest.Sum(metrics["otelcol_rendezvous_avoided_endpoints"], nil))
}
