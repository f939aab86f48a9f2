// SPDX-License-Identifier: Apache-2.0

package cardinality

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

const (
	seriesPerRequest = 5000
	seriesMemoryMiB  = 64
	// Series go nowhere: what is measured is what remembering them takes.
	onlyCardinality = `yaml:{
  exporters: {nop: },
  processors: {cardinality: {memory_limit_mib: 64, drop_attributes: [session]}},
  service: {pipelines: {metrics: {processors: [cardinality], exporters: [nop]}}}}`
)

// hostileSeries is how many are sent; TC_SOAK_NAMES overrides it.
func hostileSeries(t *testing.T) int {
	return soak.Names(t, 500_000)
}

// However many different series come, the process takes no more memory for them than
// memory_limit_mib, over what it takes for as many requests of the same ones. Half of
// the series are told apart by an attribute that is removed, so that their streams
// have to be remembered.
func TestMemoryOfHostileSeries(t *testing.T) {
	collectortest.NeedsMeasuring(t)
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", onlyCardinality}, Env: collectortest.LittleGarbage})
	c.ResetPeakRSS(t)
	for range 100 {
		sendSeries(t, c, 0)
	}
	known := c.PeakRSS(t)
	for sent := 0; sent < hostileSeries(t); sent += seriesPerRequest {
		sendSeries(t, c, sent)
	}
	grown := c.PeakRSS(t) - known
	t.Logf("%d series: %d MiB at most for known ones, %d MiB more for new ones", hostileSeries(t), known/collectortest.MiB, grown/collectortest.MiB)
	assert.Less(t, grown, int64(seriesMemoryMiB*collectortest.MiB))
	collectortest.RequireSpanPasses(t, c)
}

// sendSeries sends a request of series, of which so many were sent before.
func sendSeries(t *testing.T, c *collectortest.Collector, before int) {
	t.Helper()
	first := before / 2
	metrics := pmetric.NewMetrics()
	for _, key := range []string{"session", "user"} {
		payload.AddCounter(metrics, "hostile", "requests_by_"+key, 0, seriesPerRequest/2, 1, func(i int) map[string]any {
			return map[string]any{key: fmt.Sprintf("%032x", first+i)}
		})
	}
	collectortest.PostMetrics(t, c, metrics)
}
