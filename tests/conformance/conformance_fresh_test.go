// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// A collector that nobody has configured scrapes nothing, so its page has no finding.
func TestFreshStartHasNoFinding(t *testing.T) {
	t.Parallel()
	for _, configs := range [][]string{{"builtin:dev"}, collectortest.WithFragments("agent-host", "agent-page")} {
		t.Run(strings.Join(configs, " "), func(t *testing.T) {
			t.Parallel()
			c := collectortest.Start(t, collectortest.Options{Configs: append(configs, "yaml:{connectors: {conformance: {interval: 1s}}}")})
			var r *conformance.Report
			collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
				r = collectortest.ConformanceReport(t, c)
				return r.At.Sub(r.Since) >= 3*time.Second, "no third report"
			})
			assert.Empty(t, r.Targets)
			assert.Empty(t, r.Findings)
		})
	}
}
