// SPDX-License-Identifier: Apache-2.0

package durability

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// A gateway that refuses for a while keeps its share, which comes once it takes data
// again, and what the other took is not sent to it a second time.
func TestRendezvousWhileAGatewayRefuses(t *testing.T) {
	t.Parallel()
	one, two := startSpanSink(t), startSpanSink(t)
	c := collectortest.Start(t, toSinks("yaml:{}", one, two))
	two.setBusy(true)
	load := startSpanLoad(t, c)
	one.awaitMore(t, 100)
	time.Sleep(2 * time.Second) // some retries
	two.setBusy(false)
	two.awaitMore(t, 500)
	load.stop(t)
	requireAllOnce(t, load.sent, one, two)
	failed := c.SelfMetrics(t)["otelcol_rendezvous_failed_items"]
	assert.NotZero(t, collectortest.Sum(failed, map[string]string{"endpoint": two.address, "cause": "busy"}))
}

// With a queue on disk what no gateway took is there after a restart.
func TestRendezvousKeepsWhatIsLeftOnDisk(t *testing.T) {
	t.Parallel()
	one, two := startSpanSink(t), startSpanSink(t)
	one.stop()
	two.stop()
	options := toSinks(fmt.Sprintf(`yaml:{
  extensions: {file_storage: {directory: %q, create_directory: true}},
  exporters: {rendezvous: {sending_queue: {storage: file_storage}}},
  service: {extensions: [health_check, file_storage]}}`, t.TempDir()), one, two)
	c := collectortest.Start(t, options)
	load := &spanLoad{}
	for range 20 {
		require.NoError(t, load.send(c))
	}
	require.Equal(t, 20*loadBatch, load.sent)
	assert.Zero(t, c.Stop(t).Code)

	one.start(t)
	two.start(t)
	collectortest.Start(t, options)
	requireAllOnce(t, load.sent, one, two)
	assert.NotZero(t, one.len())
	assert.NotZero(t, two.len())
}

// A configuration without endpoints does not pass validate.
func TestRendezvousWithoutEndpoints(t *testing.T) {
	t.Parallel()
	result := collectortest.Run(t, "validate", "--config", `yaml:{
  receivers: {nop: {}}, exporters: {rendezvous: {}},
  service: {pipelines: {traces: {receivers: [nop], exporters: [rendezvous]}}}}`)
	require.NotZero(t, result.Code)
	assert.Contains(t, result.Stderr, "one of endpoints and dns::hostname must be set")
}
