// SPDX-License-Identifier: Apache-2.0

package datapoints

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// onePoint are metrics of each type, with one point where there can be one.
var onePoint = []func(pmetric.Metric){
	func(pmetric.Metric) {},
	func(m pmetric.Metric) { m.SetEmptyGauge().DataPoints().AppendEmpty() },
	func(m pmetric.Metric) { m.SetEmptySum().DataPoints().AppendEmpty() },
	func(m pmetric.Metric) { m.SetEmptyHistogram().DataPoints().AppendEmpty() },
	func(m pmetric.Metric) { m.SetEmptyExponentialHistogram().DataPoints().AppendEmpty() },
	func(m pmetric.Metric) { m.SetEmptySummary().DataPoints().AppendEmpty() },
}

// count returns the number of points of a metric.
func count(m pmetric.Metric) int {
	md := pmetric.NewMetrics()
	m.CopyTo(md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty())
	return md.DataPointCount()
}

// Points move between two metrics of one type; any other two stay as they are.
func TestMove(t *testing.T) {
	for i, fillFrom := range onePoint {
		for j, fillTo := range onePoint {
			from, to := pmetric.NewMetric(), pmetric.NewMetric()
			fillFrom(from)
			fillTo(to)
			what := fmt.Sprint(from.Type(), " to ", to.Type())
			points := count(from) + count(to)
			moved := Move(from, to)
			assert.Equal(t, i == j && i > 0, moved, what)
			assert.Equal(t, points, count(from)+count(to), what)
			if moved {
				assert.Zero(t, count(from), what)
			}
		}
	}
}
