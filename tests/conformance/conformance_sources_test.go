// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// A scrape target that does not answer is a finding that says what to do. A run that is shorter than the
// window has traces that wait, and judges them when it ends.
func TestShortRunWithAFailingTarget(t *testing.T) {
	t.Parallel()
	address := collectortest.FreeAddress(t)
	c := collectortest.Start(t, collectortest.Options{
		Configs: []string{"builtin:dev", "yaml:{connectors: {conformance: {interval: 1s}}}"},
		Env:     map[string]string{"OTELCOL_TC_SCRAPE_TARGETS": fmt.Sprintf("[%q]", address)},
	})
	payload.PostJob(t, c, "Shop/Sell", "one")
	var r *conformance.Report
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		r = collectortest.ConformanceReport(t, c)
		return len(r.Targets) > 0 && r.Traces.Waiting > 0, "no target, or no trace that waits"
	})
	assert.Zero(t, r.Traces.Judged)
	assert.False(t, r.Targets[0].Up)
	assert.Equal(t, "runtimes", r.Targets[0].Service)
	assert.Equal(t, address, r.Targets[0].Instance)
	found := false
	for _, f := range r.Findings {
		assert.NotEmpty(t, f.Action, f.Rule)
		assert.Contains(t, f.Docs, "https://github.com/otelcol-tc/otelcol-tc/tree/main/", f.Rule)
		found = found || f.Rule == "scrape_failed" && f.Original == address
	}
	assert.True(t, found, "no finding about the target: %+v", r.Findings)

	require.Zero(t, c.Stop(t).Code)
	last := map[string]float64{}
	for _, rm := range c.MetricsIn(t, "scores.json").ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			switch m.Type() {
			case pmetric.MetricTypeSum:
				last[m.Name()] = float64(m.Sum().DataPoints().At(0).IntValue())
			case pmetric.MetricTypeGauge:
				last[m.Name()] = m.Gauge().DataPoints().At(0).DoubleValue()
			}
		}
	}
	assert.EqualValues(t, 1, last["tc_conformance_judged_traces"])
	assert.Zero(t, last["tc_conformance_waiting_traces"])
	assert.EqualValues(t, 1, last["tc_conformance_scrape_targets"])
}
