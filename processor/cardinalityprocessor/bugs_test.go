package cardinalityprocessor

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// A gauge that is NaN or infinite, as Prometheus sends them, and one without a time
// go out as they came when they lose no attribute and no budget is near. (For the
// metrics of our four systems every series is in that case.)
func TestBugUntouchedOddValues(t *testing.T) {
	r := newRig(t, nil)
	for i, odd := range []float64{1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		out := r.process(r.gauges(pt{"route=/a", 0, float64(10 + i), odd}))
		assert.Equal(t, 1, out.DataPointCount(), "%v", odd)
	}
	md := r.gauges(pt{"route=/a", 0, 20, 1})
	md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Gauge().DataPoints().At(0).SetTimestamp(0)
	assert.Equal(t, 1, r.process(md).DataPointCount())
}

// A stale marker says nothing, also where there is no memory to remember its stream.
func TestBugStaleMarkerWithoutMemory(t *testing.T) {
	r := plainRig(t, func(cfg *Config) { cfg.Limit, cfg.MemoryLimitMib = 1, 1 })
	r.process(r.deltas(pt{"route=/a", 0, 10, 1}))
	r.memory.limit = 0 // full
	out := r.send(r.deltas(pt{"route=/b", 0, 20, 5}, pt{"route=/c", 0, 20, nil}))
	assert.Equal(t, []string{`{otel.metric.overflow=true} ..20 5`}, out)
}

// Families that go return all the memory they took, that of a sketch as well.
func TestBugSketchMemoryIsReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := plainRig(t, func(cfg *Config) { cfg.Limit, cfg.MaxStale = 2, time.Minute })
		r.process(r.deltas(pt{"id=1", 0, 10, 1}, pt{"id=2", 0, 10, 1}, pt{"id=3", 0, 10, 1}))
		time.Sleep(5 * time.Minute)
		r.expireAll()
		require.Zero(t, r.families.Size())
		assert.Zero(t, r.memory.used.Load())
	})
}

func observedRig(t *testing.T, change func(*Config)) (*rig, *observer.ObservedLogs) {
	r := plainRig(t, change)
	core, logs := observer.New(zapcore.InfoLevel)
	r.offenders.logger = zap.New(core)
	r.logger = zap.New(core)
	return r, logs
}

// A metric that stays past its limit is reported as such, though the same minute
// saw the warning at 80 % and no other series comes.
func TestBugPastLimitIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, logs := observedRig(t, func(cfg *Config) { cfg.Limit = 10 })
		for minute := range 10 {
			var points []pt
			for i := range 100 {
				points = append(points, pt{fmt.Sprint("user=", i), 0, float64(60*minute + 1), 1})
			}
			r.process(r.deltas(points...))
			time.Sleep(time.Minute)
		}
		past := logs.FilterMessage("A metric is past a limit of series").All()
		require.NotEmpty(t, past)
		assert.InDelta(t, 100, past[len(past)-1].ContextMap()["series"], 20)
	})
}

// A full service is helped by more places for the service.
func TestBugOverrideOfServiceLimit(t *testing.T) {
	r, logs := observedRig(t, func(cfg *Config) { cfg.ServiceLimit = 10 })
	for i := range 100 {
		r.process(r.deltas(pt{fmt.Sprint("user=", i), 0, 10, 1}))
	}
	past := logs.FilterMessage("A metric is past a limit of series").All()
	require.Len(t, past, 1)
	override := past[0].ContextMap()["override"].(string)
	assert.NotContains(t, override, "limit: 4000\n", "which was never near")
	assert.True(t, strings.Contains(override, "service_limit") || strings.Contains(override, "drop_attributes"), override)
}

// The 1001st offender is seen once the others have gone.
func TestBugOffendersMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, logs := observedRig(t, func(cfg *Config) { cfg.Limit = 1 })
		offend := func(service string) {
			md := r.deltas(pt{"user=1", 0, 10, 1}, pt{"user=2", 0, 10, 1})
			md.ResourceMetrics().At(0).Resource().Attributes().PutStr("service.name", service)
			r.process(md)
		}
		for i := range maxOffenders {
			offend(fmt.Sprint("old-", i))
		}
		time.Sleep(24 * time.Hour)
		r.expireAll()
		logs.TakeAll()
		offend("new")
		assert.NotZero(t, logs.Len())
	})
}

// A merged point has at most 8 exemplars, whatever its first point had.
func TestBugExemplarsOfTheCarrier(t *testing.T) {
	r := newRig(t, nil)
	md := r.deltas(pt{"id=1", 0, 10, 1}, pt{"id=2", 0, 10, 1})
	for _, dp := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().All() {
		for range 20 {
			dp.Exemplars().AppendEmpty().SetIntValue(1)
		}
	}
	out := r.process(md)
	require.Equal(t, 1, out.DataPointCount())
	dp := out.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().At(0)
	assert.LessOrEqual(t, dp.Exemplars().Len(), maxExemplars)
}

// A stream that is behind the processor's clock, or replayed, makes no point whose
// start is after its end.
func TestBugStartAfterEnd(t *testing.T) {
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

// In one batch or one window a value and then the end of a series: the end is told,
// if later.
func TestBugEndWithTheLastValue(t *testing.T) {
	f := func(name string, request func(*rig, ...pt) pmetric.Metrics, interval time.Duration) {
		t.Helper()
		r := newRig(t, func(cfg *Config) { cfg.FlushInterval = interval })
		var out []string
		send := func(of ...pt) {
			out = append(out, r.send(request(r, of...))...)
			if interval > 0 {
				r.flush(t.Context())
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

// Attributes that come down to those of an overflow series are its: one point.
func TestBugOverflowBesideDropped(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.Limit = 1 })
	md := r.deltas(pt{"route=/a", 0, 10, 1}, pt{"route=/b", 0, 10, 2}, pt{"id=1", 0, 10, 4})
	points := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints()
	points.At(2).Attributes().PutBool(overflowKey, true)
	r2 := newRig(t, nil)
	md2 := pmetric.NewMetrics()
	md.CopyTo(md2)
	assert.Len(t, overflows(r.process(md)), 1)
	// With places left it is the same: an SDK's overflow series and what comes down to it.
	sdk := md2.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().AppendEmpty()
	points.At(0).CopyTo(sdk)
	sdk.Attributes().Clear()
	sdk.Attributes().PutBool(overflowKey, true)
	assert.Len(t, overflows(r2.process(md2)), 1)
}

// A series that leaves within the second it began in and comes back to a full
// metric counts once.
func TestBugLeftInItsFirstSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := plainRig(t, func(cfg *Config) { cfg.Limit, cfg.MaxStale = 1, time.Minute })
		in, out := r.senders("cumulative_sum"), r.receivers("cumulative_sum")
		send := func(of ...pt) {
			md := r.counters(of...)
			in.read(md)
			out.read(r.process(md))
		}
		time.Sleep(10*time.Second + 900*time.Millisecond)
		send(pt{"user=1", 10.5, 10.8, 7})
		time.Sleep(2 * time.Minute)
		send(pt{"user=0", 100, 120, 1}) // another family member keeps it alive
		r.expireAll()
		send(pt{"user=2", 100, 130, 1})
		time.Sleep(time.Second)
		send(pt{"user=1", 10.5, 140, 8})
		assert.InDelta(t, in.total(), out.total(), 0)
	})
}

// Where no stream can be remembered, the overflow's points are in order and
// contiguous nevertheless.
func TestBugOverflowWithoutStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := plainRig(t, func(cfg *Config) { cfg.Limit, cfg.MaxStale = 1, 10*time.Second })
		r.process(r.deltas(pt{"user=1", 1, 10, 1}))
		time.Sleep(9 * time.Second)
		r.process(r.deltas(pt{"user=1", 10, 19, 1}))
		time.Sleep(9 * time.Second)
		r.memory.limit = 0
		out := r.receivers("delta_sum")
		last := r.at(0)
		for i := range 5 {
			at := float64(20 - i)                                     // senders whose clocks differ
			r.process(r.deltas(pt{"user=1", 20, float64(20 + i), 1})) // keeps the metric
			md := out.read(r.process(r.deltas(pt{fmt.Sprint("user=x", i), 10, at, 1})))
			for _, p := range overflows(md) {
				if i > 0 {
					assert.Equal(t, last, p.start, i)
				}
				last = p.time
			}
			time.Sleep(time.Second)
			r.expireAll()
		}
		assert.InDelta(t, 5, out.total(), 0)
	})
}

// One sender whose clock is far ahead does not take the series it shares with
// others along.
func TestBugClockAhead(t *testing.T) {
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

// Audit counts what enforce counts, also where there is no memory for a metric.
func TestBugAuditCountsWithoutMemory(t *testing.T) {
	f := func(mode string) int64 {
		telemetry := componenttest.NewTelemetry()
		r := plainRig(t, func(cfg *Config) { cfg.Mode = mode })
		r.countInto(telemetry)
		r.memory.limit = 0
		r.process(r.deltas(pt{"user=1", 0, 10, 1}))
		return labelled(t, telemetry, "otelcol_cardinality_dropped_points", "reason")["memory"]
	}
	assert.Equal(t, int64(1), f(modeEnforce))
	assert.Equal(t, int64(1), f(modeAudit))
}

// Streams whose histograms grow after they were admitted take no more memory than
// there is for them.
func TestBugMemoryOfGrowingHistograms(t *testing.T) {
	const mib = 4
	r := newRig(t, func(cfg *Config) { cfg.MemoryLimitMib = mib })
	many := make([]float64, 400)
	for i := range many {
		many[i] = float64(i)
	}
	send := func(at float64, bounds []float64) {
		for i := range 100 {
			var points []hist
			for j := range 50 {
				points = append(points, hist{pt{fmt.Sprint("id=", 50*i+j), 1, at, nil}, bounds, []float64{1}})
			}
			r.process(r.histograms(pmetric.AggregationTemporalityCumulative, points...))
		}
	}
	before := liveHeap()
	send(10, nil)
	send(20, many)
	assert.Less(t, liveHeap()-min(before, liveHeap()), uint64(mib<<20))
}

// Bursts that have expired take no memory, though their metrics live on.
func TestBugMemoryOfExpiredBursts(t *testing.T) {
	const mib = 4
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.MemoryLimitMib, cfg.MaxStale = mib, time.Minute })
		before := liveHeap()
		for metric := range 20 {
			at := float64(120*metric + 10)
			for i := range 50 {
				var points []pt
				for j := range 100 {
					points = append(points, pt{fmt.Sprint("id=", 100*i+j), 1, at, 1})
				}
				r.process(r.sum("s", fmt.Sprint("m", metric), pmetric.AggregationTemporalityDelta, true, points))
			}
			for range 4 {
				time.Sleep(30 * time.Second)
				at += 30
				for known := range metric + 1 {
					r.process(r.sum("s", fmt.Sprint("m", known), pmetric.AggregationTemporalityDelta, true, []pt{{"id=0", 1, at, 1}}))
				}
				r.expireAll()
			}
		}
		assert.Less(t, liveHeap()-min(before, liveHeap()), uint64(mib<<20))
	})
}

// Services with very long names take no more memory than there is.
func TestBugMemoryOfLongServiceNames(t *testing.T) {
	const mib = 4
	r := newRig(t, func(cfg *Config) { cfg.MemoryLimitMib = mib })
	long := strings.Repeat("x", 256<<10)
	before := liveHeap()
	for i := range 100 {
		r.process(r.sum(fmt.Sprint(long, i), "m", pmetric.AggregationTemporalityDelta, true, []pt{{"id=0", 1, 10, 1}}))
	}
	assert.Less(t, liveHeap()-min(before, liveHeap()), uint64(mib<<20))
	assert.NotZero(t, r.families.Size())
}

// A counter that was folded into the overflow, left, and gets a place of its own
// counts once, also where the metric's attributes are looked at for ids: it must not
// come back whole (merged = plain in place should be: returned).
func TestBugReturnedSeriesCountsTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.Limit, cfg.MaxStale = 1, time.Minute })
		r.startExpiry()
		in, out := r.senders("cumulative_sum"), r.receivers("cumulative_sum")
		send := func(of ...pt) {
			md := r.counters(of...)
			in.read(md)
			out.read(r.process(md))
		}
		time.Sleep(10 * time.Second)
		send(pt{"user=a", 5, 10, 1}, pt{"user=b", 5, 10, 100})
		for range 10 { // the metric stays, both series go
			time.Sleep(30 * time.Second)
			send(pt{"user=c", 5, r.now(), 1})
		}
		time.Sleep(40 * time.Second)
		send(pt{"user=b", 5, r.now(), 100})
		assert.InDelta(t, in.total(), out.total(), 0)
	})
}
