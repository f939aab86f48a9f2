package cardinalityprocessor

import (
	"fmt"
	"math"
	"testing"
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

// TestEndWithTheLastValue checks a value and the end of its series in one batch or one
// window. The stale marker follows the value.
func TestEndWithTheLastValue(t *testing.T) {
	f := func(name string, request func(*rig, ...pt) pmetric.Metrics, interval time.Duration) {
		t.Helper()
		r := newRig(t, func(cfg *Config) { cfg.FlushInterval = interval })
		var out []string
		send := func(of ...pt) {
			out = append(out, r.send(request(r, of...))...)
			if interval > 0 {
				r.p.flush(t.Context(), false)
				out = append(out, r.text(r.sink.AllMetrics()...)...)
				r.sink.Reset()
			}
		}
		send(pt{"id=1", 1, 10, 5})
		if interval > 0 {
			out = append(out, r.send(request(r, pt{"id=1", 1, 20, 6}))...)
			send(pt{"id=1", 1, 30, nil})
		} else {
			send(pt{"id=1", 1, 20, 6}, pt{"id=1", 1, 30, nil})
		}
		require.NotEmpty(t, out, name)
		assert.Contains(t, out[len(out)-1], "stale", "%s: %q", name, out)
	}
	f("gauge", (*rig).gauges, 0)
	f("gauge, gathered", (*rig).gauges, time.Hour)
	f("updown", (*rig).updowns, 0)
	f("updown, gathered", (*rig).updowns, time.Hour)
	f("counter", (*rig).counters, 0)
	f("counter, gathered", (*rig).counters, time.Hour)
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
