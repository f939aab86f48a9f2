// SPDX-License-Identifier: Apache-2.0

package durability

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// ending ends a collector.
type ending func(*testing.T, *collectortest.Collector)

func terminated(t *testing.T, c *collectortest.Collector) { require.Zero(t, c.Stop(t).Code) }

func killed(t *testing.T, c *collectortest.Collector) { c.Kill(t) }

// quickRetry leaves the retries to spillover, whose first ones come sooner. Everything else is as shipped.
const quickRetry = `yaml:exporters::%s::retry_on_failure::enabled: false`

// A gateway whose backend is away for a while: each series' points come in order, and what turns deltas
// into sums gets them all. The gateway ends in between, and while it sends what has waited.
func TestMetricsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]ending{"outage": nil, "terminated": terminated, "killed": killed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			backend, load := newDeltaBackend(t), &deltaLoad{}
			options := collectortest.Options{
				Configs: []string{"builtin:gateway", fmt.Sprintf(quickRetry, "otlp_http")},
				Env: map[string]string{
					"OTELCOL_TC_BACKEND": "http://" + backend.address,
					"OTELCOL_TC_STATE":   filepath.Join(t.TempDir(), "state"),
				},
			}
			gateway := collectortest.Start(t, options)
			for range 3 {
				load.send(t, gateway, 320)
				if end != nil {
					end(t, gateway)
					gateway = collectortest.Start(t, options)
				}
			}
			backend.start(t)
			if end != nil {
				collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
					return backend.taken() > 0, "nothing came"
				})
				end(t, gateway)
				gateway = collectortest.Start(t, options)
			}
			load.send(t, gateway, 40)
			backend.requireAll(t, load)
		})
	}
}
