// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// TestServicesChangeTheirModes checks that a service whose mode changes starts anew, without counting anything
// twice, and that the merged counters of the others go on.
func TestServicesChangeTheirModes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		directory := t.TempDir()
		r, began := clock(t), time.Now()
		counters := func(service string) pmetric.Metrics {
			value := int(time.Since(began).Seconds())
			return r.sum(service, "m", pmetric.AggregationTemporalityCumulative, true,
				[]pt{{"id=1", 1, r.now(), value}, {"id=2", 1, r.now(), value}})
		}
		period := func(services string, want map[string][]float64) {
			t.Helper()
			host, err := pipetest.NewHost(t.Context(), []byte("packs: [pytango]\nservices: {"+services+"}"))
			require.NoError(t, err)
			l := liveWith(t, host, directory, nil)
			got := map[string][]float64{}
			for range 2 {
				time.Sleep(10 * time.Second)
				for _, service := range []string{"a", "b"} {
					for _, point := range receive(l.send(counters(service))) {
						got[service] = append(got[service], point.is["value"])
					}
				}
			}
			l.end()
			require.Equal(t, want, got, services)
		}
		// Two streams grow by 10 each in 10 s.
		period("a: {mode: audit}", map[string][]float64{"a": {10, 10, 20, 20}, "b": {20, 40}})
		period("a: {mode: audit}", map[string][]float64{"a": {30, 30, 40, 40}, "b": {60, 80}})
		period("", map[string][]float64{"a": {0, 20}, "b": {100, 120}})
		period("b: {mode: audit}", map[string][]float64{"a": {40, 60}, "b": {70, 70, 80, 80}})
		period("", map[string][]float64{"a": {80, 100}, "b": {0, 20}})
	})
}
