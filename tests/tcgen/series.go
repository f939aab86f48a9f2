// SPDX-License-Identifier: Apache-2.0

package tcgen

import (
	"fmt"
	"math"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// CheckSeries checks what holds for whatever came out: no id is left; a series has
// one point at a time, in order; and its start does not move.
func CheckSeries(t *testing.T, received pmetric.Metrics, ids []string) {
	t.Helper()
	type last struct{ start, time pcommon.Timestamp }
	series := map[string]last{}
	collectortest.EachScoped(received, func(resource pcommon.Resource, scope pcommon.InstrumentationScope, metric pmetric.Metric) {
		for _, p := range PointsOf(metric) {
			for id := range p.Attributes().All() {
				assert.NotContains(t, ids, id, metric.Name())
			}
			id := fmt.Sprintf("%s of %#v, %s:%#v", metric.Name(), resource.Attributes().AsRaw(), scope.Name(), p.Attributes().AsRaw())
			before, known := series[id]
			series[id] = last{p.StartTimestamp(), p.Timestamp()}
			assert.LessOrEqual(t, p.StartTimestamp(), p.Timestamp(), "a start after the time of %s", id)
			if known {
				assert.Greater(t, p.Timestamp(), before.time, "times of %s", id)
				assert.Equal(t, before.start, p.StartTimestamp(), "starts of %s", id)
			}
		}
	})
}

// AssertNoIDs checks the labels of a Prometheus page, where keys have underscores.
func AssertNoIDs(t *testing.T, page map[string]*dto.MetricFamily) {
	t.Helper()
	var labels []string
	for _, id := range IDKeys {
		labels = append(labels, strings.ReplaceAll(id, ".", "_"))
	}
	for name, family := range page {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				assert.NotContains(t, labels, label.GetName(), name)
			}
		}
	}
}

// CheckCounted checks that what cumulative metrics have counted at their end is the same before and after the ids
// are removed, for each service and metric. Streams start after the collector, so that it counts all of them.
func CheckCounted(t *testing.T, sent []pmetric.Metrics, received pmetric.Metrics) {
	t.Helper()
	want, got := counted(sent...), counted(received)
	for name, value := range want {
		assert.InDelta(t, value, got[name], 1e-9*max(1, math.Abs(value)), name)
	}
}

// counted returns the sums of the last values of all streams, by service, metric and field.
func counted(all ...pmetric.Metrics) map[string]float64 {
	streams, totals := map[string]float64{}, map[string]float64{}
	for _, metrics := range all {
		collectortest.EachScoped(metrics, func(resource pcommon.Resource, scope pcommon.InstrumentationScope, metric pmetric.Metric) {
			name := metric.Name()
			if original, ok := metric.Metadata().Get(OriginalNameKey); ok {
				name = original.Str()
			}
			name = collectortest.ServiceName(resource) + ": " + name
			count := func(field string, attributes pcommon.Map, value float64) {
				stream := fmt.Sprintf("%s %s %s %#v %#v", name, field, scope.Name(), resource.Attributes().AsRaw(), attributes.AsRaw())
				totals[name+field] += value - streams[stream]
				streams[stream] = value
			}
			switch metric.Type() {
			case pmetric.MetricTypeSum:
				for _, p := range metric.Sum().DataPoints().All() {
					count("", p.Attributes(), p.DoubleValue()+float64(p.IntValue()))
				}
			case pmetric.MetricTypeHistogram:
				for _, p := range metric.Histogram().DataPoints().All() {
					count(" count", p.Attributes(), float64(p.Count()))
					count(" sum", p.Attributes(), p.Sum())
					for i, n := range p.BucketCounts().All() {
						count(fmt.Sprint(" bucket ", i), p.Attributes(), float64(n))
					}
				}
			}
		})
	}
	return totals
}
