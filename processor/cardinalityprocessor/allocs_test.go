package cardinalityprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// TestNothingIsAllocatedPerPoint: points of known streams that lose their id and are
// merged allocate nothing, however many they are.
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
		process() // which makes what is new
		return testing.AllocsPerRun(runs, process)
	}
	// Against 490 points more. The race detector has a pool forget a walk now and then.
	perBatch(500)
	require.Less(t, perBatch(500)-perBatch(10), 50.0)
}
