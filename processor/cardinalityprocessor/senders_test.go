// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// press takes over half of the memory for series, so that ended streams are forgotten. The
// memory limit must be 1 MiB.
func (r *rig) press() {
	var all []pt
	for i := range 1700 {
		all = append(all, pt{fmt.Sprint("id=", i), 0, 1, 1})
	}
	r.send(r.sum("z", "f", pmetric.AggregationTemporalityCumulative, true, all))
	require.Greater(r.t, 2*r.p.store.Memory.Used.Load(), r.p.store.Memory.Limit)
}

// TestSourcesOfOneMetric checks that a complete look does not forget the streams of another sender
// of the metric. They would count again with each of its looks.
func TestSourcesOfOneMetric(t *testing.T) {
	f := func(name, want string, send func(r *rig, round int) []string) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, func(c *Config) { c.MemoryLimitMib, c.Limit = 1, 10_000 })
				r.press()
				var last []string
				for round := range 10 {
					time.Sleep(5 * time.Second)
					last = send(r, round)
				}
				require.Contains(t, last, want)
			})
		})
	}
	f("two targets with one instance", `{} 0..101 0`, func(r *rig, round int) []string {
		at := float64(10 + 10*round)
		r.in(scrapeOf(r.t.Context(), "a:1"), r.scrape(at, 1, r.counters(pt{"id=1", 0, at, 100})))
		time.Sleep(5 * time.Second)
		return r.in(scrapeOf(r.t.Context(), "a:2"), r.scrape(at+1, 1, r.counters(pt{"id=2", 0, at + 1, 100})))
	})
	f("ids that are hidden from each second scrape", `{} 0..100 100`, func(r *rig, round int) []string {
		at := float64(10 + 10*round)
		time.Sleep(5 * time.Second)
		return r.in(scrapeOf(r.t.Context(), "a:1"), r.scrape(at, 1, r.counters(pt{"id=1", 0, at, 100}, pt{fmt.Sprint("id=", 2+round%2), 0, at, 100})))
	})
	f("an SDK that divides a metric", `{} 0..100.001 18`, func(r *rig, round int) []string {
		at := float64(10 + 10*round)
		r.in(sdkOf(r.t.Context(), pythonSDK), r.counters(pt{"id=1", -5, at, 100 + round}))
		time.Sleep(5 * time.Second)
		return r.in(sdkOf(r.t.Context(), pythonSDK), r.counters(pt{"id=2", -5, at, 100 + round}))
	})
}

// TestSourcesOverARestart checks the same after a restart with storage.
func TestSourcesOverARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *Config) { c.MemoryLimitMib, c.Limit = 1, 10_000 })
		r.press()
		round := func(at float64) []string {
			time.Sleep(5 * time.Second)
			r.in(scrapeOf(t.Context(), "a:1"), r.scrape(at, 1, r.counters(pt{"id=1", 0, at, 100})))
			time.Sleep(5 * time.Second)
			return r.in(scrapeOf(t.Context(), "a:2"), r.scrape(at+1, 1, r.counters(pt{"id=2", 0, at + 1, 100})))
		}
		round(10)
		after := newTestProcessor(t, func(c *Config) { c.MemoryLimitMib, c.Limit = 1, 10_000 })
		copySeries(t, r.p, after)
		require.NoError(t, r.p.shutdown(t.Context()))
		r.p = after
		round(20)
		require.Contains(t, round(30), `{} 0..31 0`)
	})
}

// TestLookInTurn checks that requests of an SDK that wait for the next component are looks: their
// new ids count.
func TestLookInTurn(t *testing.T) {
	r := newRig(t, nil)
	entered, release := make(chan bool), make(chan bool)
	got := &arrivals{points: map[string][]received{}}
	p := r.taking(func(_ context.Context, md pmetric.Metrics) error {
		if md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Name() == "slow" {
			entered <- true
			<-release
		}
		got.add(md)
		return nil
	})
	var senders sync.WaitGroup
	send := func(ctx context.Context, md pmetric.Metrics) { assert.NoError(t, p.ConsumeMetrics(ctx, md)) }
	ctx := sdkOf(t.Context(), pythonSDK)
	send(ctx, r.counters(pt{"id=1", -5, 10, 7}))
	senders.Go(func() {
		send(t.Context(), r.sum("s", "slow", pmetric.AggregationTemporalityDelta, true, []pt{{"id=1", 10, 11, 1}}))
	})
	<-entered
	senders.Go(func() { send(ctx, r.counters(pt{"id=1", -5, 20, 7}, pt{"id=2", -5, 20, 5})) })
	time.Sleep(50 * time.Millisecond) // until it waits for its turn
	senders.Go(func() {
		send(ctx, r.counters(pt{"id=1", -5, 30, 7}, pt{"id=2", -5, 30, 5}, pt{"id=3", -5, 30, 3}))
	})
	time.Sleep(50 * time.Millisecond)
	close(release)
	senders.Wait()
	for key, all := range got.points {
		if last := all[len(all)-1]; last.start == r.at(0) {
			assert.Equal(t, 8.0, last.is["value"], key)
		}
	}
}

// TestStartOfClockAhead checks that a sender that began before the processor is not taken for a
// new one because its clock is ahead.
func TestStartOfClockAhead(t *testing.T) {
	r := newRig(t, nil)
	now := r.now()
	const ahead = 3000
	r.send(r.counters(pt{"id=1", ahead - 600, now + ahead, 1000}, pt{"id=2", ahead + 600, now + ahead, 7}))
	out := receive(r.process(r.counters(pt{"id=1", ahead - 600, now + ahead + 1, 1001})))
	require.Equal(t, 8.0, out[0].is["value"])
}

// TestRestartAfterClockPutRight checks that a process counts that restarts after its clock was
// put right.
func TestRestartAfterClockPutRight(t *testing.T) {
	for _, agent := range []string{"", pythonSDK} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, nil)
			r.startExpiry()
			ctx := sdkOf(t.Context(), agent)
			ahead := 3600 + r.now()
			r.in(ctx, r.counters(pt{"id=1", ahead - 5, ahead, 100}))
			time.Sleep(10 * time.Second)
			start := r.now() - 1
			for round := range 100 {
				time.Sleep(10 * time.Second)
				now := r.now()
				require.Contains(t, r.in(ctx, r.counters(pt{"id=1", start, now, 1 + round})), fmt.Sprintf(`{} 0..%v %d`, now, 101+round))
			}
		})
	}
}

// TestLooksAfterClockPutRight checks that new ids of an SDK count after its clock was put right.
func TestLooksAfterClockPutRight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.startExpiry()
		ctx := sdkOf(t.Context(), pythonSDK)
		r.in(ctx, r.counters(pt{"id=1", -5000, 3600 + r.now(), 100}))
		for ids := range 10 {
			time.Sleep(10 * time.Second)
			now := r.now()
			all := []pt{{"id=1", -5000, now, 100}}
			for id := range ids {
				all = append(all, pt{fmt.Sprint("id=", id+2), -5000, now, 1})
			}
			lines := r.in(ctx, r.counters(all...))
			require.Regexp(t, fmt.Sprintf(` %d$`, ids), lines[0])
		}
	})
}

// TestBadPointsOfOthers checks that a sender whose points are always dropped is no obstacle to the
// new metrics of others.
func TestBadPointsOfOthers(t *testing.T) {
	r := newRig(t, nil)
	for i := range 10 {
		at := float64(10 + i*10)
		r.scraped(at, 1)
		md, m := emptyMetric("bad", "h")
		m.SetEmptyExponentialHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		dp := m.ExponentialHistogram().DataPoints().AppendEmpty()
		dp.SetScale(100)
		dp.SetTimestamp(r.at(at))
		r.send(md)
		page := r.sum("s", fmt.Sprint("m", i), pmetric.AggregationTemporalityCumulative, true, []pt{{"id=1", 0, at + 5, 1}})
		require.Contains(t, r.scraped(at+5, 1, page), fmt.Sprintf(`{} 0..%v 1`, at+5))
	}
}

// TestLookPastServiceLimit checks that new ids of an SDK count whose metrics are all in the
// overflow of the service.
func TestLookPastServiceLimit(t *testing.T) {
	r := newRig(t, func(c *Config) { c.ServiceLimit = 1 })
	r.send(r.sum("s", "x", pmetric.AggregationTemporalityCumulative, true, []pt{{"id=1", -5, 1, 1}}))
	for ids := range 10 {
		at := float64(10 + ids*10)
		var all []pt
		for id := range ids + 1 {
			all = append(all, pt{fmt.Sprint("id=", id), -5, at, 1})
		}
		require.Contains(t, r.in(sdkOf(t.Context(), pythonSDK), r.counters(all...)), fmt.Sprintf(`{otel.metric.overflow=true} 0..%v %d`, at, ids))
	}
}
