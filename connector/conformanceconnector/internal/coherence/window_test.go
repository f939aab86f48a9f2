// SPDX-License-Identifier: Apache-2.0

package coherence

import (
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
)

// TestConcurrentBatches checks that each span of concurrent batches is judged, late or not judged, and
// that the room of waiting and finished traces is returned.
func TestConcurrentBatches(t *testing.T) {
	const senders, batches, spans = 4, 30, 300
	for _, most := range []int{50, 100_000} {
		results := report.NewBuilder(nil, report.Settings{MaxServices: 1, MaxFindings: 1})
		svc := results.Service("a", time.Now())
		x := New(results, Settings{Window: time.Second, MaxTraces: most, MaxSpans: 4 * most})
		op := Operation{Service: svc, Component: x.Component("", "a")}
		var lock sync.RWMutex
		sweep := func() { x.Sweep(time.Now().Add(time.Second), lock.RLocker()) }
		var group, sweeper sync.WaitGroup
		for n := range senders {
			group.Go(func() {
				rng, b := rand.New(rand.NewPCG(uint64(n), 7)), x.NewBatch()
				for range batches {
					b.Begin(time.Now())
					for range spans {
						// Most traces are in one batch, and few in several.
						id := rng.Uint64()
						if rng.IntN(3) == 0 {
							id = rng.Uint64N(200)
						}
						if !b.Add(traceID(id), Span{ID: spanID(rng.Uint64()), Of: &op}) {
							x.Unjudged(&op, 1)
						}
					}
					b.Flush()
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
		assert.EqualValues(t, senders*batches*spans, svc.Spans.Load()+svc.Unjudged.Load()+svc.Late.Load())
		assert.Positive(t, svc.Spans.Load())
		traces, waiting := x.Waiting()
		assert.Zero(t, traces)
		assert.Zero(t, waiting)
		for i := range x.shards {
			shard := &x.shards[i]
			assert.Len(t, shard.traces, len(shard.done))
			assert.LessOrEqual(t, len(shard.done), shard.mostDone)
		}
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
