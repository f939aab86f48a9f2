package cardinalityprocessor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// What is remembered of a request is bounded: one that says more is left to the ordinary way.
func TestScanIsBounded(t *testing.T) {
	f := func(resources, metrics, points int, name string, want bool) {
		t.Helper()
		md := pmetric.NewMetrics()
		for range resources {
			scope := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
			for range metrics {
				metric := scope.Metrics().AppendEmpty()
				metric.SetName(name)
				gauge := metric.SetEmptyGauge().DataPoints()
				for range points {
					gauge.AppendEmpty()
				}
			}
		}
		s := &wireScan{}
		assert.Equal(t, want, s.scan(encoded(t, md)))
		assert.LessOrEqual(t, len(s.spans), maxWirePoints)
	}
	f(1, 1, maxWirePoints, "m", true)
	f(1, 1, maxWirePoints+1, "m", false)
	f(maxWireMessages, 1, 1, "m", true)
	f(maxWireMessages+1, 1, 1, "m", false)
	f(1, maxWireMessages, 1, "m", true)
	f(1, maxWireMessages+1, 1, "m", false)
	f(1, 1, 1, strings.Repeat("m", maxWireHeaders/2), true)
	f(1, 1, 1, strings.Repeat("m", maxWireHeaders+1), false)
}
