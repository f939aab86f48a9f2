// SPDX-License-Identifier: Apache-2.0

package datapoints

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
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

// Points of each type are removed by their attributes.
func TestRemoveIf(t *testing.T) {
	for i, fill := range onePoint {
		m, other := pmetric.NewMetric(), pmetric.NewMetric()
		fill(m)
		fill(other)
		for attrs := range Attributes(m) {
			attrs.PutStr("kind", "a")
		}
		Move(other, m)
		has := func(attrs pcommon.Map) bool { _, ok := attrs.Get("kind"); return ok }
		RemoveIf(m, has)
		assert.Equal(t, min(i, 1), count(m), m.Type())
		for attrs := range Attributes(m) {
			assert.False(t, has(attrs), m.Type())
		}
	}
}

// A copy of the identity has all of a metric but its points.
func TestCopyIdentity(t *testing.T) {
	for _, fill := range onePoint {
		from, to := pmetric.NewMetric(), pmetric.NewMetric()
		fill(from)
		from.SetName("name")
		from.SetDescription("description")
		from.SetUnit("unit")
		from.Metadata().PutStr("key", "value")
		CopyIdentity(from, to)
		RemoveIf(from, func(pcommon.Map) bool { return true })
		assert.Equal(t, document(t, from), document(t, to))
	}
}

// document returns a metric as OTLP in JSON.
func document(t *testing.T, m pmetric.Metric) string {
	t.Helper()
	md := pmetric.NewMetrics()
	m.CopyTo(md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty())
	text, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(md)
	require.NoError(t, err)
	return string(text)
}

func TestCount(t *testing.T) {
	for _, fill := range onePoint {
		md := pmetric.NewMetrics()
		sm := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
		m := sm.Metrics().AppendEmpty()
		fill(m)
		assert.Equal(t, count(m), Count(m), m.Type())
		fill(sm.Metrics().AppendEmpty())
		assert.Equal(t, md.DataPointCount(), CountIn(sm), m.Type())
	}
}
