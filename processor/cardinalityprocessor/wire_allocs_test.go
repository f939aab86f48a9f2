package cardinalityprocessor

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Known points that are folded on the wire take no memory: what is left takes what it
// takes to decode it.
func TestWireAllocations(t *testing.T) {
	c := newChain(t, nil, true)
	c.quiet = func(pmetric.Metrics) error { return nil }
	request, times := wireRequestOf(t, perRequest)
	now := time.Now()
	next := func() {
		now = now.Add(time.Millisecond)
		for _, at := range times {
			binary.LittleEndian.PutUint64(request[at:], uint64(now.UnixNano()))
		}
	}
	for range 5 {
		next()
		require.NoError(t, c.send(request))
	}
	left := 0
	allocations := testing.AllocsPerRun(100, func() {
		next()
		batch, err := c.registry.folder.Fold(request, func(decoded []byte) error { left = len(decoded); return nil })
		if err == nil {
			batch.Settle(t.Context(), nil)
		}
	})
	require.Less(t, left, len(request)/100)
	// Of a request of 512 points. The race detector has pools forget now and then.
	require.Less(t, allocations, perRequest/8.0)
}
