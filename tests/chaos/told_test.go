package chaos

import (
	"fmt"
	"testing"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// told is what a collector's own metrics say, in items.
type told struct {
	refused float64 // by the receiver, after decoding
	failed  float64 // given up by the exporter
}

// itemsOf is how the collector's own metrics call the items of a signal.
var itemsOf = map[signal]string{traces: "spans", metrics: "metric_points", logs: "log_records"}

// sendFailed is the metric that the alert BackendFailing reads.
func sendFailed(of signal) string { return "otelcol_exporter_send_failed_" + itemsOf[of] }

// ask reads a collector's own metrics of one signal. Traces are the signal to ask for:
// what conformance says is metrics and logs of the gateway's own.
func ask(t *testing.T, c *collectortest.Collector, of signal) told {
	t.Helper()
	families := c.SelfMetrics(t)
	return told{
		refused: collectortest.Sum(families["otelcol_receiver_refused_"+itemsOf[of]], nil),
		failed:  collectortest.Sum(families[sendFailed(of)], nil),
	}
}

// awaitToldFailed waits until a collector says that it has given up all that was accepted
// and not delivered.
func (s *scenario) awaitToldFailed(t *testing.T, c *collectortest.Collector, of signal) {
	t.Helper()
	collectortest.Eventually(t, patience, func() (bool, string) {
		failed, dropped := ask(t, c, of).failed, s.ledger.tally().dropped
		return failed > 0 && failed == float64(dropped), fmt.Sprintf("%v of %d items counted as dropped", failed, dropped)
	})
}
