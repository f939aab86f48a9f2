// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/owntelemetry"
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
	*componenttest.Telemetry
}

func newCounts(t *testing.T) counts {
	c := counts{componenttest.NewTelemetry()}
	t.Cleanup(func() { require.NoError(t, c.Shutdown(context.WithoutCancel(t.Context()))) })
	return c
}

// sum returns the sum of the points of a metric that have these attributes.
func (c counts) sum(name string, attributes ...string) float64 {
	return float64(owntelemetry.Sum(c.Telemetry, name, attributes...))
}

// heap returns the bytes that live on the heap.
func heap() float64 {
	runtime.GC()
	runtime.GC() // what finalizers have freed
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
