// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"
)

// arrivals records the points of each series in the order in which they arrive.
type arrivals struct {
	mu     sync.Mutex
	points map[string][]received
}

func (a *arrivals) add(md pmetric.Metrics) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range receive(md) {
		a.points[p.series] = append(a.points[p.series], p)
	}
}

// TestPointsLeaveInOrder sends to a few series by eight connections. The next component takes each
// batch after a random time, and refuses some. What leaves is in order, and all of it leaves.
func TestPointsLeaveInOrder(t *testing.T) {
	const connections, requests = 8, 100
	for _, test := range []struct {
		name    string
		refuses bool
		send    func(r *rig, connection, request int, at float64) pmetric.Metrics
	}{
		{"one series", false, func(r *rig, connection, _ int, second float64) pmetric.Metrics {
			return r.deltas(pt{fmt.Sprint("id=", connection), second - 0.5, second, 1})
		}},
		{"one series, refused at times", true, func(r *rig, connection, _ int, second float64) pmetric.Metrics {
			return r.deltas(pt{fmt.Sprint("id=", connection), second - 0.5, second, 1})
		}},
		{"past the limit", false, func(r *rig, connection, request int, second float64) pmetric.Metrics {
			return r.deltas(pt{fmt.Sprintf("route=%d", connection*requests+request), second - 0.5, second, 1})
		}},
		{"two metrics in either order", false, func(r *rig, connection, _ int, second float64) pmetric.Metrics {
			md := pmetric.NewMetrics()
			for i := range 2 {
				name := []string{"m", "n"}[(i+connection)%2]
				r.sum("s", name, pmetric.AggregationTemporalityDelta, true, []pt{{fmt.Sprint("id=", connection), second - 0.5, second, 1}}).
					ResourceMetrics().MoveAndAppendTo(md.ResourceMetrics())
			}
			return md
		}},
		{"two services in either order", false, func(r *rig, connection, _ int, second float64) pmetric.Metrics {
			md := pmetric.NewMetrics()
			for i := range 2 {
				service := []string{"s", "z"}[(i+connection)%2]
				r.sum(service, "m", pmetric.AggregationTemporalityDelta, true, []pt{{fmt.Sprint("id=", connection), second - 0.5, second, 1}}).
					ResourceMetrics().MoveAndAppendTo(md.ResourceMetrics())
			}
			return md
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, func(cfg *Config) { cfg.Limit = 4 })
			got := &arrivals{points: map[string][]received{}}
			p := r.taking(func(_ context.Context, md pmetric.Metrics) error {
				for range rand.IntN(20) {
					runtime.Gosched()
				}
				if test.refuses && rand.IntN(4) == 0 {
					return errors.New("full")
				}
				got.add(md)
				return nil
			})
			var clock, sent atomic.Int64
			var senders sync.WaitGroup
			for connection := range connections {
				senders.Go(func() {
					for request := range requests {
						md := test.send(r, connection, request, float64(clock.Add(1))/500)
						sent.Add(int64(md.DataPointCount()))
						for refused := true; refused; {
							again := pmetric.NewMetrics()
							md.CopyTo(again)
							refused = p.ConsumeMetrics(t.Context(), again) != nil
						}
					}
				})
			}
			senders.Wait()
			total := 0.0
			for key, all := range got.points {
				for i, p := range all {
					total += p.is["value"]
					if i > 0 {
						require.GreaterOrEqual(t, p.start, all[i-1].time, "%s: point %d of %d", key, i, len(all))
						require.Greater(t, p.time, all[i-1].time, "%s: point %d of %d", key, i, len(all))
					}
				}
			}
			assert.InDelta(t, sent.Load(), total, 0)
		})
	}
}

// refusing returns a processor with a next component that may refuse.
type refusing struct {
	processor.Metrics
	r    *rig
	next func(context.Context, pmetric.Metrics) error
}

func (p refusing) ConsumeMetrics(ctx context.Context, md pmetric.Metrics) error {
	out, err := p.r.p.process(ctx, md)
	if errors.Is(err, processorhelper.ErrSkipProcessingData) {
		return nil
	}
	return errors.Join(err, p.next(ctx, out))
}

// summed returns the sum of all points.
func summed(all []pmetric.Metrics) (sum float64) {
	for _, md := range all {
		for _, p := range receive(md) {
			sum += p.is["value"]
		}
	}
	return sum
}

// taking returns the rig's processor as a pipeline calls it.
func (r *rig) taking(next func(context.Context, pmetric.Metrics) error) retried {
	return retried{refusing{r: r, next: next}, r.p}
}

// TestConcurrentRefused checks that refused values are not lost if another batch comes in
// between. It waits until the first is refused.
func TestConcurrentRefused(t *testing.T) {
	r := newRig(t, nil)
	var got []pmetric.Metrics
	var p retried
	var other sync.WaitGroup
	n := 0
	p = r.taking(func(_ context.Context, md pmetric.Metrics) error {
		if n++; n == 1 {
			begin(&other, func() { assert.NoError(t, p.ConsumeMetrics(context.Background(), r.deltas(pt{"id=2", 1, 10, 7}))) })
			assert.Empty(t, got)
			return errors.New("full")
		}
		got = append(got, md)
		return nil
	})
	first := func() pmetric.Metrics { return r.deltas(pt{"id=1", 1, 10, 5}) }
	require.Error(t, p.ConsumeMetrics(t.Context(), first()))
	other.Wait()
	require.NoError(t, p.ConsumeMetrics(t.Context(), first()))
	require.NoError(t, p.ConsumeMetrics(t.Context(), r.deltas(pt{"id=1", 10, 20, 1})))
	require.InDelta(t, 13.0, summed(got), 0)
}

// begin runs a sender concurrently, and gives it the processor until it waits for its turn. The tests pass also if
// it has not come that far.
func begin(senders *sync.WaitGroup, send func()) {
	started := make(chan bool)
	senders.Go(func() {
		close(started)
		send()
	})
	<-started
	for range 100 {
		runtime.Gosched()
	}
}
