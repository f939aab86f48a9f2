// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"
)

// TestRefusedBatchIsNotLost checks that the values of a refused batch are not lost. Its
// sender repeats it, but its points are late then.
func TestRefusedBatchIsNotLost(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.DropAttributes = []string{"id"}
	r := newRig(t, nil) // only makes requests
	refuse := true
	var got []pmetric.Metrics
	next, err := consumer.NewMetrics(func(_ context.Context, md pmetric.Metrics) error {
		if refuse {
			return errors.New("full")
		}
		got = append(got, md)
		return nil
	})
	require.NoError(t, err)
	p, err := createMetrics(t.Context(), processortest.NewNopSettings(NewFactory().Type()), cfg, next)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, p.Shutdown(context.Background())) })
	send := func(md pmetric.Metrics) error { return p.ConsumeMetrics(t.Context(), md) }

	first := func() pmetric.Metrics { return r.deltas(pt{"id=1", 1, 10, 5}, pt{"route=/a", 1, 10, 7}) }
	require.Error(t, send(first()))
	require.Error(t, send(first()))
	refuse = false
	require.NoError(t, send(first()))
	require.NoError(t, send(r.deltas(pt{"id=1", 10, 20, 1}, pt{"id=2", 5, 20, 2})))
	require.Equal(t, []string{`{route="/a"} 1..10 7`, `{} 1..10 5`}, r.text(got[0]))
	require.Equal(t, []string{`{} 10..20 3`}, r.text(got[1]))

	// The same in the middle of a series.
	refuse = true
	require.Error(t, send(r.deltas(pt{"id=1", 20, 30, 4})))
	refuse = false
	require.NoError(t, send(r.deltas(pt{"id=1", 30, 40, 1})))
	require.Equal(t, []string{`{} 20..40 5`}, r.text(got[2]))
}
