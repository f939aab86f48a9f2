// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// TestMetricIdentity checks what distinguishes metrics: everything but the description,
// bounds, scale and type of numbers.
func TestMetricIdentity(t *testing.T) {
	f := func(want int, change func(rm pmetric.ResourceMetrics, m pmetric.Metric)) {
		t.Helper()
		r := newRig(t, nil)
		one, two := r.deltas(pt{"id=1", 1, 10, 1}), r.deltas(pt{"id=2", 1, 10, 1})
		rm := two.ResourceMetrics().At(0)
		change(rm, rm.ScopeMetrics().At(0).Metrics().At(0))
		require.Len(t, r.send(both(one, two)), want)
	}
	scope := func(rm pmetric.ResourceMetrics) pmetric.ScopeMetrics { return rm.ScopeMetrics().At(0) }
	f(1, func(pmetric.ResourceMetrics, pmetric.Metric) {})
	f(1, func(_ pmetric.ResourceMetrics, m pmetric.Metric) { m.SetDescription("x") })
	f(1, func(_ pmetric.ResourceMetrics, m pmetric.Metric) { m.Sum().DataPoints().At(0).SetDoubleValue(1) })
	f(2, func(_ pmetric.ResourceMetrics, m pmetric.Metric) { m.SetUnit("s") })
	f(2, func(_ pmetric.ResourceMetrics, m pmetric.Metric) { m.SetName("n") })
	f(2, func(_ pmetric.ResourceMetrics, m pmetric.Metric) { m.Sum().SetIsMonotonic(false) })
	f(2, func(_ pmetric.ResourceMetrics, m pmetric.Metric) { m.Sum().SetAggregationTemporality(2) })
	f(2, func(rm pmetric.ResourceMetrics, _ pmetric.Metric) { rm.Resource().Attributes().PutInt("pid", 1) })
	f(2, func(rm pmetric.ResourceMetrics, _ pmetric.Metric) { scope(rm).Scope().SetName("x") })
	f(2, func(rm pmetric.ResourceMetrics, _ pmetric.Metric) { scope(rm).Scope().SetVersion("x") })
	f(2, func(rm pmetric.ResourceMetrics, _ pmetric.Metric) { scope(rm).Scope().Attributes().PutInt("x", 1) })
}
