// SPDX-License-Identifier: Apache-2.0

package coherence

import (
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
)

// TestConcurrentSpans checks that each span of concurrent senders is judged, late or not judged, and that the
// room of waiting traces is returned.
func TestConcurrentSpans(t *testing.T) {
	const senders, batches = 4, 9000
	for _, most := range []int{50, 100_000} {
		results := report.NewBuilder(nil, report.Settings{MaxServices: 1, MaxFindings: 1})
		svc := results.Service("a", time.Now())
		x := New(results, Settings{Window: time.Second, MaxTraces: most, MaxSpans: 4 * most})
		op := Operation{Service: svc, Component: x.Component("", "a")}
		var lock sync.RWMutex
		var sent atomic.Int64
		sweep := func() { x.Sweep(time.Now().Add(time.Second), lock.RLocker()) }
		var group, sweeper sync.WaitGroup
		for n := range senders {
			group.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(n), 7))
				for range batches {
					// Most traces have one span, and few have many.
					id := rng.Uint64()
					if rng.IntN(3) == 0 {
						id = rng.Uint64N(200)
					}
					some := make([]Span, 1+rng.IntN(4))
					for i := range some {
						some[i] = Span{ID: spanID(rng.Uint64()), Of: &op}
					}
					sent.Add(int64(len(some)))
					x.Add(traceID(id), some, time.Now())
				}
			})
		}
		stop := make(chan struct{})
		sweeper.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					sweep()
				}
			}
		})
		group.Wait()
		close(stop)
		sweeper.Wait()
		sweep()
		assert.Equal(t, sent.Load(), svc.Spans.Load()+svc.Unjudged.Load()+svc.Late.Load())
		assert.Positive(t, svc.Spans.Load())
		traces, waiting := x.Waiting()
		assert.Zero(t, traces)
		assert.Zero(t, waiting)
	}
}

func traceID(n uint64) (id pcommon.TraceID) {
	binary.LittleEndian.PutUint64(id[:], n)
	id[15] = 1
	return id
}

func spanID(n uint64) (id pcommon.SpanID) {
	binary.LittleEndian.PutUint64(id[:], n|1)
	return id
}
