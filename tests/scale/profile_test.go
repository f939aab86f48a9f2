// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// configure sets a component's settings as a profile has them.
func configure(t *testing.T, cfg component.Config, key string, profile ...string) {
	t.Helper()
	sub, err := collectortest.Resolve(t, profile...).Sub(key)
	require.NoError(t, err)
	require.NoError(t, sub.Unmarshal(cfg))
}

// run starts a component, which ends with the test.
func run[C component.Component](t *testing.T, host component.Host, c C, err error) C {
	t.Helper()
	require.NoError(t, err)
	require.NoError(t, c.Start(t.Context(), host))
	t.Cleanup(func() { require.NoError(t, c.Shutdown(context.WithoutCancel(t.Context()))) })
	return c
}

// host has extensions.
type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

// counts reads a component's own metrics.
type counts struct {
	t *testing.T
	*componenttest.Telemetry
}

func newCounts(t *testing.T) counts {
	c := counts{t, componenttest.NewTelemetry()}
	t.Cleanup(func() { require.NoError(t, c.Shutdown(context.WithoutCancel(t.Context()))) })
	return c
}

// sum returns the sum of the points of a metric that have a label's value, or of all if the label is empty.
func (c counts) sum(name, label, value string) (total float64) {
	metric, err := c.GetMetric(name)
	if err != nil {
		return 0 // nothing was counted
	}
	var points []metricdata.DataPoint[int64]
	switch data := metric.Data.(type) {
	case metricdata.Sum[int64]:
		points = data.DataPoints
	case metricdata.Gauge[int64]:
		points = data.DataPoints
	}
	for _, p := range points {
		if got, _ := p.Attributes.Value(attribute.Key(label)); label == "" || got.AsString() == value {
			total += float64(p.Value)
		}
	}
	return total
}

// heap returns the bytes that live on the heap.
func heap() float64 {
	runtime.GC()
	runtime.GC() // what finalizers have freed
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
