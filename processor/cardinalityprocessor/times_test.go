// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// TestClocksThatDiffer checks senders whose clocks differ by days or begin in 1970. The
// output is in order and complete.
func TestClocksThatDiffer(t *testing.T) {
	r := newRig(t, nil)
	out := r.receivers("delta_sum")
	for round := range 20 {
		var points []pt
		for id, shift := range []float64{-1e8, -86400, -60, 0, 60, 1800} {
			points = append(points, pt{fmt.Sprint("id=", id), shift + float64(round), shift + float64(round) + 1, 1})
		}
		md := r.deltas(points...)
		dp := numberPoints(md).AppendEmpty()
		dp.SetTimestamp(pcommon.Timestamp(1 + round)) // a clock that begins at 1970
		dp.SetIntValue(1)
		out.read(r.process(md))
	}
	require.Len(t, out.by, 1)
	require.InDelta(t, 7*20, out.total(), 0)
}

// TestClockAhead checks that a sender whose clock is far ahead does not affect the series
// it shares with others.
func TestClockAhead(t *testing.T) {
	r := newRig(t, nil)
	out := r.receivers("delta_sum")
	out.read(r.process(r.deltas(pt{"id=1", 0, 10, 1})))
	md := r.deltas(pt{"id=2", 0, 20, 1})
	md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().At(0).SetTimestamp(math.MaxUint64)
	out.read(r.process(md))
	md = out.read(r.process(r.deltas(pt{"id=1", 20, 30, 1})))
	for _, p := range receive(md) {
		assert.Less(t, p.time, r.at(86400))
	}
}

// TestNoStartAfterItsEnd checks that old or replayed streams make no point that ends
// before its start.
func TestNoStartAfterItsEnd(t *testing.T) {
	for name, request := range map[string]func(*rig) pmetric.Metrics{
		"cumulative": func(r *rig) pmetric.Metrics { return r.counters(pt{"id=1", -100, -10, 7}) },
		"updown":     func(r *rig) pmetric.Metrics { return r.updowns(pt{"id=1", -100, -10, 7}) },
		"histogram": func(r *rig) pmetric.Metrics {
			return r.histograms(pmetric.AggregationTemporalityCumulative, hist{pt{"id=1", -100, -10, nil}, []float64{1}, []float64{1}})
		},
	} {
		r := newRig(t, nil)
		for _, p := range receive(r.process(request(r))) {
			assert.LessOrEqual(t, p.start, p.time, name)
		}
	}
}

// TestEndWithTheLastValue checks a value and the end of its series in one batch. The stale marker follows
// the value.
func TestEndWithTheLastValue(t *testing.T) {
	for name, request := range map[string]func(*rig, ...pt) pmetric.Metrics{
		"gauge": (*rig).gauges, "updown": (*rig).updowns, "counter": (*rig).counters,
	} {
		r := newRig(t, nil)
		r.send(request(r, pt{"id=1", 1, 10, 5}))
		out := r.send(request(r, pt{"id=1", 1, 20, 6}, pt{"id=1", 1, 30, nil}))
		require.NotEmpty(t, out, name)
		assert.Contains(t, out[len(out)-1], "stale", "%s: %q", name, out)
	}
}

// TestTimeOfAnEnd checks that an output whose streams end has a point at the time of the
// stale marker, not just after its last point.
func TestTimeOfAnEnd(t *testing.T) {
	f := func(request func(*rig, ...pt) pmetric.Metrics, want string) {
		t.Helper()
		r := newRig(t, nil)
		r.send(request(r, pt{"id=1", 0, 10, 1}, pt{"id=2", 0, 11, 2}))
		assert.Equal(t, []string{want}, r.send(request(r, pt{"id=1", 0, 30, nil})))
	}
	f((*rig).updowns, `{} 0..30 2`)
	f((*rig).gauges, `{} ..30 2`)
}

// TestWanderingStarts checks senders that state now minus uptime as the start, which moves a
// little with each point. The values decide.
func TestWanderingStarts(t *testing.T) {
	for _, wander := range []float64{0.001, 1} {
		r := newRig(t, nil)
		values := []int{100, 110, 120, 130, 140}
		for i, move := range []float64{0, 1, -1, 2, -2} {
			at := float64(10 * (i + 1))
			require.Equal(t, []string{fmt.Sprintf("{} 0..%v %d", at, values[i])}, r.send(r.counters(pt{"id=1", 3 + move*wander, at, values[i]})))
		}
		// The sender restarts, and soon counts more than before.
		require.Equal(t, []string{"{} 0..60 290"}, r.send(r.counters(pt{"id=1", 55, 60, 150})))
	}
}

// TestClockAheadByMinutes checks that a sender whose clock is ahead counts, and does not push
// the others into the future. Points that are sent as they came are untouched.
func TestClockAheadByMinutes(t *testing.T) {
	f := func(kind string, request func(*rig, ...pt) pmetric.Metrics) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, nil)
			in, out := r.senders(kind), r.receivers(kind)
			ahead := 50 * time.Minute.Seconds()
			before := r.now()
			for round := range 20 {
				time.Sleep(10 * time.Second)
				now := r.now()
				if round == 15 {
					ahead = 0 // it is put right
				}
				if round < 15 {
					as := pt{"route=/as-it-came", before + ahead, now + ahead, 1}
					require.Equal(t, r.text(request(r, as)), r.send(request(r, as)))
				}
				md := request(r, pt{"id=1", before, now, 1 + round}, pt{"id=2", before + ahead, now + ahead, 1 + round})
				md.MarkReadOnly()
				for _, p := range receive(md) {
					rd := in.by[p.series]
					if rd != nil && rd.time > p.time {
						rd.time = 0
					}
					require.True(t, in.reader(p).read(p))
				}
				work := pmetric.NewMetrics()
				md.CopyTo(work)
				for _, p := range receive(r.process(work)) {
					if len(p.attributes) == 0 {
						require.True(t, out.reader(p).read(p), "%v", p)
						require.LessOrEqual(t, p.time, r.at(now+10))
					}
				}
				if kind == "delta_sum" {
					before = now
				}
			}
			require.InDelta(t, in.total(), out.total(), 0)
		})
	}
	f("delta_sum", (*rig).deltas)
	f("cumulative_sum", (*rig).counters)
	f("updown", (*rig).updowns)
}

// TestLateDeltas checks that deltas that fit a gap count in the next interval, once.
func TestLateDeltas(t *testing.T) {
	r := newRig(t, nil)
	require.Equal(t, []string{"{} 1..2 1"}, r.send(r.deltas(pt{"id=1", 1, 2, 1})))
	require.Equal(t, []string{"{} 2..4 4"}, r.send(r.deltas(pt{"id=1", 3, 4, 4})))
	require.Equal(t, []string{"{} 4..4.001 2"}, r.send(r.deltas(pt{"id=1", 2, 3, 2})))
	require.Empty(t, r.send(r.deltas(pt{"id=1", 2, 3, 2}, pt{"id=1", 1, 2, 1}, pt{"id=1", 3, 4, 4})))
	require.Equal(t, []string{"{} 4.001..5 8"}, r.send(r.deltas(pt{"id=1", 4, 5, 8})))
}

// TestLateDeltaAfterTheEnd checks that a delta that arrives after the stale marker of its
// stream counts, and that the series has ended after it.
func TestLateDeltaAfterTheEnd(t *testing.T) {
	r := newRig(t, nil)
	r.send(r.deltas(pt{"id=1", 1, 2, 1}))
	r.send(r.deltas(pt{"id=1", 1, 4, nil}))
	require.Equal(t, []string{"{} 4..4.001 2", "{} 4.001..4.002 stale"}, r.send(r.deltas(pt{"id=1", 2, 3, 2})))
}

// TestEightConnections checks that all points of eight connections that write one series
// count, in whatever order they arrive.
func TestEightConnections(t *testing.T) {
	r := newRig(t, nil)
	out := r.receivers("delta_sum")
	var mu sync.Mutex
	var sent atomic.Int64
	var connections sync.WaitGroup
	for range 8 {
		connections.Go(func() {
			for range 100 {
				start := float64(sent.Add(1))
				md := r.deltas(pt{"id=1", start / 1000, (start + 1) / 1000, 1})
				runtime.Gosched()
				mu.Lock() // only for the order of the output
				_, err := r.p.process(context.Background(), md)
				if err == nil {
					out.read(md)
				}
				mu.Unlock()
			}
		})
	}
	connections.Wait()
	require.InDelta(t, 800, out.total(), 0)
}
