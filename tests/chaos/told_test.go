// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"testing"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// told is what a collector's own metrics say, in items.
type told struct {
	refused float64 // by the receiver, after decoding
	failed  float64 // refused for good by the next hop
}

// itemsOf is how the collector's own metrics call the items of a signal.
var itemsOf = map[signal]string{traces: "spans", metrics: "metric_points", logs: "log_records"}

// refusedForGood is the metric that the alert BackendFailing reads.
const refusedForGood = "otelcol_spillover_refused_items"

// ask reads a collector's own metrics of one signal. Traces are the signal to ask for:
// what conformance says is metrics and logs of the gateway's own.
func ask(t *testing.T, c *collectortest.Collector, kind signal) told {
	t.Helper()
	families := c.SelfMetrics(t)
	return told{
		refused: collectortest.Sum(families["otelcol_receiver_refused_"+itemsOf[kind]], nil),
		failed:  collectortest.Sum(families[refusedForGood], map[string]string{"signal": string(kind)}),
	}
}
