// SPDX-License-Identifier: Apache-2.0

package tcgen

import (
	"fmt"
	"slices"
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

// CheckMerged compares metrics received with what a merger wants, point by point.
func CheckMerged(t *testing.T, want []Item, received pmetric.Metrics) {
	t.Helper()
	CheckKept(t, want, MetricItems(t, withoutStarts(received, startsOf(t, want))))
}

// startsOf returns the starts that points have.
func startsOf(t *testing.T, items []Item) []string {
	t.Helper()
	var starts []string
	for _, i := range items {
		for _, field := range []string{"sum", "histogram"} {
			data, _ := i[field].(map[string]any)
			for _, point := range objects(data["dataPoints"]) {
				starts = append(starts, Item(point).text("startTimeUnixNano"))
			}
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// withoutStarts leaves out the starts that nobody sent: those of merged points, whose
// floating-point values it rounds.
func withoutStarts(received pmetric.Metrics, sent []string) pmetric.Metrics {
	plain := pmetric.NewMetrics()
	received.CopyTo(plain)
	for metric := range collectortest.AllMetrics(plain) {
		for _, p := range PointsOf(metric) {
			if _, ok := slices.BinarySearch(sent, fmt.Sprint(uint64(p.StartTimestamp()))); ok || p.StartTimestamp() == 0 {
				continue
			}
			p.SetStartTimestamp(0)
			roundPoint(p)
		}
	}
	return plain
}

func roundPoint(p DataPoint) {
	switch p := p.(type) {
	case pmetric.NumberDataPoint:
		if p.ValueType() == pmetric.NumberDataPointValueTypeDouble {
			p.SetDoubleValue(rounded(p.DoubleValue()))
		}
	case pmetric.HistogramDataPoint:
		p.SetSum(rounded(p.Sum()))
	}
}
