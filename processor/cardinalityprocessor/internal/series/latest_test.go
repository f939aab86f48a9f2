// SPDX-License-Identifier: Apache-2.0

package series

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// gauges returns a fixture of gauges.
func gauges(t *testing.T, how conventions.GaugeAggregate) *fixture[number, *number] {
	rules := ids
	rules.Overrides = []plan.Override{{Metric: glob.New("*"), Gauge: how}}
	f := newFixture[number](t, Latest, Settings{}, rules)
	f.metric.streams = nil
	f.streams = StreamsOf[number](f.metric, Latest, true)
	return f
}

// requireUpdated requires that the values that were updated point by point equal those
// computed from all streams.
func requireUpdated(t *testing.T, streams *Numbers, what string) {
	t.Helper()
	for i := range streams.outputs {
		o := &streams.outputs[i]
		if o.free || o.live == 0 {
			continue
		}
		live := int32(0)
		for j := o.streams; j != 0; j = streams.streams[j-1].next {
			if !streams.streams[j-1].stale {
				live++
			}
		}
		require.Equal(t, live, o.live)
		if !o.current {
			continue
		}
		got := combine(streams, o).Float()
		total, decider, steps := o.total, o.decider, o.steps
		recompute(streams, o)
		require.InDelta(t, combine(streams, o).Float(), got, 0, what)
		o.total, o.decider, o.steps = total, decider, steps
	}
}

// TestUpdateLatest checks that updating an output point by point has the same result as
// computing it from all streams, also after restarts and expiry.
func TestUpdateLatest(t *testing.T) {
	for _, how := range []conventions.GaugeAggregate{"last", "min", "max", "mean", "sum"} {
		for seed := range uint64(100) {
			what := fmt.Sprint(how, " seed ", seed)
			r := rand.New(rand.NewPCG(seed, 9))
			f := gauges(t, how)
			for step := range 60 {
				for i := range 6 {
					if r.IntN(3) == 0 {
						continue
					}
					attrs := fmt.Sprint("id=", i)
					if i == 0 {
						attrs = ""
					}
					value := aggregate.Int(r.Int64N(8))
					if r.IntN(4) == 0 {
						value = aggregate.Double(float64(r.IntN(8)) + 0.5)
					}
					stale := r.IntN(4) == 0
					later := time.Duration(r.IntN(3)) * 100 * time.Millisecond
					f.observe(attrs, 10+step, func(p *Point[number]) {
						p.Start, p.Value, p.Stale = 0, value, stale
						p.Time += pcommon.Timestamp(later)
					})
				}
				f.emit()
				if r.IntN(10) == 0 {
					f = restarted(t, f, how)
				}
				if r.IntN(6) == 0 {
					for i := range f.streams.streams {
						f.streams.streams[i].seen = 9
						if r.IntN(4) == 0 {
							f.streams.streams[i].seen = 0
						}
					}
					if empty, _ := f.metric.expire(5, time.Now()); empty {
						f = gauges(t, how)
					}
				}
				requireUpdated(t, f.streams, what)
			}
		}
	}
}

// restarted returns a fixture with the state of another.
func restarted(t *testing.T, f *fixture[number, *number], how conventions.GaugeAggregate) *fixture[number, *number] {
	t.Helper()
	var values []number
	state, err := f.store.State("", func(any) (*StreamsState, error) {
		return f.streams.State(func(n *number) { values = append(values, *n) }), nil
	})
	require.NoError(t, err)
	rules := ids
	rules.Overrides = []plan.Override{{Metric: glob.New("*"), Gauge: how}}
	after := &fixture[number, *number]{t: t, store: New(f.store.Settings, 1<<20)}
	require.NoError(t, after.store.Restore(state, plan.New(nil, rules), 0, func(m *Metric, s *StreamsState) error {
		after.metric, after.streams = m, StreamsOf[number](m, s.Temporality, true)
		return after.streams.Restore(s, func(i int, n *number) bool { *n = values[i]; return true })
	}))
	if after.metric == nil { // nothing was merged yet
		after.metric, _ = after.store.Load(attrhash.Hash{Lo: 1})
		after.streams = StreamsOf[number](after.metric, Latest, true)
	}
	after.store.Begin(&after.batch)
	return after
}
