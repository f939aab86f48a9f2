// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// TestNothingIsAllocatedPerPoint checks that processing known streams allocates nothing
// for each point, even if they lose their id and are merged.
func TestNothingIsAllocatedPerPoint(t *testing.T) {
	p := newTestProcessor(t, nil)
	at := p.store.Started.Add(time.Minute)
	perBatch := func(n int) float64 {
		const runs = 10
		batches := make([]pmetric.Metrics, runs+2)
		for i := range batches {
			at = at.Add(time.Second)
			batches[i] = requests("s", n, at)[0]
		}
		next := 0
		process := func() {
			_, err := p.process(t.Context(), batches[next])
			require.NoError(t, err)
			next++
		}
		process() // creates the streams
		return testing.AllocsPerRun(runs, process)
	}
	// 490 more points must add none. The race detector lets a pool drop a walk at random.
	perBatch(500)
	require.Less(t, perBatch(500)-perBatch(10), 50.0)
}
