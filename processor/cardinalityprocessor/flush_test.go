// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// gathering returns a rig with a flush_interval of a minute.
func gathering(t *testing.T) *rig {
	return newRig(t, func(cfg *Config) { cfg.FlushInterval = time.Minute })
}

// flushed returns what has been flushed since the last call.
func (r *rig) flushed() []string {
	synctest.Wait()
	lines := r.text(r.sink.AllMetrics()...)
	r.sink.Reset()
	return lines
}

// TestOnePointOfEachSeriesAndWindow checks that each window sends one point of each
// series, and that the windows add up. Deltas have no gap and no overlap.
func TestOnePointOfEachSeriesAndWindow(t *testing.T) {
	f := func(request func(*rig, ...pt) pmetric.Metrics, wants ...string) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			r := gathering(t)
			require.NoError(t, r.p.start(t.Context(), componenttest.NewNopHost()))
			for _, want := range wants {
				for range 6 {
					at := r.now() - 3600
					for id := range 3 {
						require.Empty(t, r.send(request(r, pt{fmt.Sprint("id=", id), max(at, 0.5), at + 5, 1 + int(at)/10})))
					}
					require.Empty(t, r.flushed())
					time.Sleep(10*time.Second - time.Nanosecond)
					require.Empty(t, r.flushed())
					time.Sleep(time.Nanosecond)
				}
				require.Equal(t, []string{want}, r.flushed())
			}
		})
	}
	f((*rig).deltas, `{} 0.5..55 63`, `{} 55..115 171`, `{} 115..175 279`)
	f((*rig).gauges, `{} ..55 6`, `{} ..115 12`, `{} ..175 18`)
	f(func(r *rig, of ...pt) pmetric.Metrics {
		for i := range of {
			of[i].start = 0.5
		}
		return r.counters(of...)
	}, `{} 0..55 18`, `{} 0..115 36`, `{} 0..175 54`)
}

// TestUntouchedSeriesAreNotGathered checks that outputs that are not merged are sent with
// their batch.
func TestUntouchedSeriesAreNotGathered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := gathering(t)
		require.NoError(t, r.p.start(t.Context(), componenttest.NewNopHost()))
		require.Equal(t, []string{`{route="a"} 1..10 5`}, r.send(r.deltas(pt{"route=a", 1, 10, 5}, pt{"route=b id=1", 1, 10, 7})))
		time.Sleep(time.Minute)
		require.Equal(t, []string{`{route="b"} 1..10 7`}, r.flushed())
		// The first merged point starts where the last one ended.
		require.Empty(t, r.send(r.deltas(pt{"route=a", 10, 70, 5}, pt{"route=a id=1", 20, 70, 7})))
		time.Sleep(time.Minute)
		require.Equal(t, []string{`{route="a"} 10..70 12`}, r.flushed())
	})
}

// TestFlushAtShutdown checks that shutdown sends the collected points, and nothing if
// there are none.
func TestFlushAtShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := live(t, nil, func(cfg *Config) { cfg.FlushInterval = time.Hour })
		r := clock(t)
		require.Zero(t, l.send(r.deltas(pt{"id=1", 1, 10, 5}, pt{"id=2", 1, 10, 7})).DataPointCount())
		time.Sleep(59 * time.Minute)
		l.end()
		require.Equal(t, []string{`{} 1..10 12`}, r.text(l.sink.AllMetrics()...))

		l = live(t, nil, func(cfg *Config) { cfg.FlushInterval = time.Minute })
		time.Sleep(10 * time.Minute)
		l.end()
		require.Empty(t, l.sink.AllMetrics())
	})
}

// TestFlushKeepsContainers checks that a window has each resource, scope and metric once,
// as they were sent.
func TestFlushKeepsContainers(t *testing.T) {
	r := gathering(t)
	at := 10.0
	request := func(id, name string) pmetric.Metrics {
		at++
		md := r.sum("s", name, pmetric.AggregationTemporalityDelta, true, []pt{{"id=" + id, 1, at, 1}})
		rm := md.ResourceMetrics().At(0)
		rm.SetSchemaUrl("resource schema")
		sm := rm.ScopeMetrics().At(0)
		sm.SetSchemaUrl("scope schema")
		sm.Scope().SetName("scope")
		sm.Scope().SetVersion("7")
		sm.Scope().Attributes().PutStr("a", "b")
		m := sm.Metrics().At(0)
		m.SetUnit("s")
		m.SetDescription("described")
		m.Metadata().PutStr("key", "value")
		return md
	}
	for range 3 {
		r.process(request("1", "m"))
		r.process(request("2", "m"))
		r.process(request("1", "n"))
		r.p.flush(t.Context(), false)
		require.Len(t, r.sink.AllMetrics(), 1)
		got := r.sink.AllMetrics()[0]
		r.sink.Reset()
		require.Equal(t, 1, got.ResourceMetrics().Len())
		require.Equal(t, 1, got.ResourceMetrics().At(0).ScopeMetrics().Len())
		require.Equal(t, 2, got.MetricCount())
		require.Equal(t, 2, got.DataPointCount())
		// Without the points it equals the request.
		got.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().RemoveIf(func(m pmetric.Metric) bool { return m.Name() == "n" })
		want := request("1", "m")
		numberPoints(want).RemoveIf(func(pmetric.NumberDataPoint) bool { return true })
		numberPoints(got).RemoveIf(func(pmetric.NumberDataPoint) bool { return true })
		wantText, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(want)
		require.NoError(t, err)
		gotText, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(got)
		require.NoError(t, err)
		require.Equal(t, string(wantText), string(gotText))
	}
}

// TestRefusedFlush checks that a refused window is sent once more, with the next one. If
// that is refused too, an error is logged.
func TestRefusedFlush(t *testing.T) {
	r, logs := observedRig(t, func(cfg *Config) { cfg.FlushInterval, cfg.DropAttributes = time.Hour, []string{"id"} })
	refuse := consumertest.NewErr(errors.New("full"))
	r.p.next = refuse
	r.process(r.deltas(pt{"id=1", 1, 10, 5}))
	r.p.flush(context.Background(), false)
	require.Zero(t, logs.Len())
	r.p.next = r.sink
	r.process(r.deltas(pt{"id=1", 10, 20, 7}))
	r.p.flush(context.Background(), false)
	require.Equal(t, []string{`{} 1..10 5`, `{} 10..20 7`}, r.text(r.sink.AllMetrics()...))

	r.p.next = refuse
	r.process(r.deltas(pt{"id=1", 20, 30, 1}))
	r.p.flush(context.Background(), false)
	r.p.flush(context.Background(), false)
	lost := logs.FilterMessage("Merged points are lost: the next component refused them").All()
	require.Len(t, lost, 1)
	require.Equal(t, int64(1), lost[0].ContextMap()["points"])
	require.Equal(t, "full", lost[0].ContextMap()["error"])
}

// TestLargeWindowIsSent checks that a window is sent early when it exceeds its memory.
func TestLargeWindowIsSent(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.FlushInterval, cfg.MemoryLimitMib = time.Hour, 1 })
	require.NoError(t, r.p.start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, r.p.shutdown(context.Background())) })
	r.process(r.deltas(pt{"route=" + strings.Repeat("x", 1<<18) + " id=1", 1, 10, 5}))
	require.Eventually(t, func() bool { return r.sink.DataPointCount() == 1 }, 5*time.Second, time.Millisecond)
}

// TestExemplarsOfAWindow checks that a point of a window has at most eight exemplars.
func TestExemplarsOfAWindow(t *testing.T) {
	r := gathering(t)
	for i := range 5 {
		r.process(withExemplars(r.deltas(pt{"id=1", 1, float64(10 + i), 1}, pt{"id=2", 1, float64(10 + i), 1}), 3))
	}
	r.p.flush(t.Context(), false)
	got := exemplars(r.sink.AllMetrics()[0])
	require.Len(t, got, 1)
	require.Len(t, got[0], maxExemplars)
	require.Contains(t, got[0][0], `id="`)
}
