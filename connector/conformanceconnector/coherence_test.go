// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/coherence"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
)

const (
	internal = ptrace.SpanKindInternal
	client   = ptrace.SpanKindClient
	server   = ptrace.SpanKindServer
)

var none pcommon.SpanID

func TestCoherence(t *testing.T) {
	f := func(name string, want map[string]int64, make func(*tree)) {
		t.Helper()
		s, tr := newTestState(t, nil), newTree(newRand(1))
		make(tr)
		s.judgeTraces(context.Background(), tr.td)
		s.judgeAll()
		r := s.now()
		for _, rule := range report.Rules() {
			assert.Equal(t, want[rule.ID], totalOf(r, rule.ID), "%s: %s", name, rule.ID)
		}
	}
	f("a trace", nil, func(tr *tree) {
		a := tr.span("a", "A/Do", client, none, 0, 100)
		b := tr.span("b", "B/Do", server, a.SpanID(), 10, 90)
		tr.span("b", "B/Help", internal, b.SpanID(), 10, 90)
	})
	f("no parent", map[string]int64{"missing_parent": 1}, func(tr *tree) {
		tr.span("a", "A/Do", internal, newSpanID(tr.rng), 0, 100)
	})
	f("its own parent", map[string]int64{"missing_parent": 1}, func(tr *tree) {
		a := tr.span("a", "A/Do", internal, none, 0, 100)
		a.SetParentSpanID(a.SpanID())
	})
	f("precedes", map[string]int64{"starts_before_parent": 1}, func(tr *tree) {
		a := tr.span("a", "A/Do", internal, none, 10, 100)
		tr.span("a", "A/Help", internal, a.SpanID(), 0, 50)
	})
	f("outlives", map[string]int64{"ends_after_parent": 1}, func(tr *tree) {
		a := tr.span("a", "A/Do", internal, none, 0, 100)
		tr.span("a", "A/Help", internal, a.SpanID(), 50, 110)
	})
	f("within the tolerance", nil, func(tr *tree) {
		a := tr.span("a", "A/Do", internal, none, 5, 100)
		tr.span("a", "A/Help", internal, a.SpanID(), 0, 105)
	})
	f("a consumer may outlive its producer", nil, func(tr *tree) {
		a := tr.span("a", "A/Do", ptrace.SpanKindProducer, none, 0, 10)
		tr.span("b", "B/Do", ptrace.SpanKindConsumer, a.SpanID(), 50, 110)
	})
	f("another clock", map[string]int64{"clock_skew": 1}, func(tr *tree) {
		a := tr.span("a", "A/Do", client, none, 0, 100)
		tr.span("b", "B/Do", server, a.SpanID(), 510, 590)
	})
	for name, at := range map[string]time.Duration{"a start that was never set": 0, "a clock that counts from boot": 40 * 24 * time.Hour} {
		f(name, map[string]int64{"implausible_time": 1}, func(tr *tree) {
			a := tr.span("a", "A/Do", client, none, 0, 100)
			b := tr.span("b", "B/Do", server, a.SpanID(), 10, 90)
			tr.span("b", "B/Help", internal, b.SpanID(), 20, 30)
			b.SetStartTimestamp(pcommon.Timestamp(at))
		})
	}
	f("an end that was never set", map[string]int64{"implausible_time": 1}, func(tr *tree) {
		a := tr.span("a", "A/Do", internal, none, 0, 100)
		tr.span("a", "A/Help", internal, a.SpanID(), 20, 30)
		a.SetEndTimestamp(0)
	})
	f("both from 1970", map[string]int64{"implausible_time": 1}, func(tr *tree) {
		a := tr.span("a", "A/Do", client, none, 0, 100)
		b := tr.span("b", "B/Do", server, a.SpanID(), 10, 90)
		b.SetStartTimestamp(1)
		b.SetEndTimestamp(2)
	})
	f("a clock that was set back", map[string]int64{"ends_before_start": 1}, func(tr *tree) {
		a := tr.span("a", "A/Do", internal, none, 100, 0)
		tr.span("a", "A/Help", internal, a.SpanID(), 20, 30)
	})
	f("no time at all", nil, func(tr *tree) {
		a := tr.span("a", "A/Do", internal, none, 0, 0)
		tr.span("a", "A/Help", internal, a.SpanID(), 0, 0)
	})
	f("no clock offset fits", map[string]int64{"ends_after_parent": 1}, func(tr *tree) {
		a := tr.span("a", "A/Do", client, none, 0, 100)
		tr.span("b", "B/Do", server, a.SpanID(), 10, 900)
	})
}

// TestCoherenceOfAnyOrder checks that the findings do not depend on how spans are split, ordered and
// repeated.
func TestCoherenceOfAnyOrder(t *testing.T) {
	for seed := range uint64(50) {
		rng := newRand(seed)
		s := newTestState(t, nil)
		want := map[string]int64{}
		var all []ptrace.Traces
		var roots, spans int64
		for range 1 + rng.IntN(5) {
			tr := newTree(rng)
			parents := []ptrace.Span{tr.span("a", "A/Do", internal, none, 0, 1000)}
			roots++
			for range rng.IntN(40) {
				parent := parents[rng.IntN(len(parents))]
				from := (int64(parent.StartTimestamp()) - treeBegin) / 1e6
				to := (int64(parent.EndTimestamp()) - treeBegin) / 1e6
				id := parent.SpanID()
				switch rng.IntN(8) {
				case 0:
					id = newSpanID(rng)
					want["missing_parent"]++
				case 1:
					from -= 50
					want["starts_before_parent"]++
				case 2:
					to += 50
					want["ends_after_parent"]++
				case 3:
					id = none
					roots++
				}
				parents = append(parents, tr.span("a", "A/Help", internal, id, from, to))
			}
			spans += int64(len(parents))
			for _, rs := range tr.td.ResourceSpans().All() {
				one := ptrace.NewTraces()
				rs.CopyTo(one.ResourceSpans().AppendEmpty())
				for range 1 + rng.IntN(2) {
					all = append(all, one)
				}
			}
		}
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, td := range all {
			s.judgeTraces(context.Background(), td)
		}
		s.judgeAll()
		r := s.now()
		for _, rule := range []string{"missing_parent", "starts_before_parent", "ends_after_parent"} {
			assert.Equal(t, want[rule], totalOf(r, rule), "seed %d: %s", seed, rule)
		}
		a := serviceOf(t, r, "a")
		assert.Equal(t, spans, a.Spans, "seed %d", seed)
		assert.Equal(t, roots, a.Roots, "seed %d", seed)
	}
}

func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, tr := newTestState(t, nil), newTree(newRand(1))
		parent := tr.span("a", "A/Do", internal, none, 0, 100)
		child := newTree(tr.rng)
		child.trace = tr.trace
		child.span("a", "A/Help", internal, parent.SpanID(), 0, 100)

		s.judgeTraces(context.Background(), child.td)
		time.Sleep(20 * time.Second)
		s.sweep(time.Now())
		s.judgeTraces(context.Background(), tr.td) // in time, and the wait starts anew
		time.Sleep(20 * time.Second)
		s.sweep(time.Now())
		assert.Zero(t, s.now().Services[0].Spans)
		time.Sleep(10 * time.Second)
		s.sweep(time.Now())
		r := s.now()
		assert.EqualValues(t, 2, r.Services[0].Spans)
		assert.EqualValues(t, 1, r.Traces.Judged)
		assert.Zero(t, totalOf(r, "missing_parent"))

		s.judgeTraces(context.Background(), child.td) // too late
		s.judgeAll()
		r = s.now()
		assert.EqualValues(t, 2, r.Services[0].Spans)
		assert.EqualValues(t, 1, r.Services[0].Late)
		s.assertNoneWait(t)
	})
}

// TestTraceWithoutEnd checks that a trace that keeps getting spans is not judged, because it may be
// incomplete.
func TestTraceWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, rng := newTestState(t, nil), newRand(1)
		first := newTree(rng)
		for range 2 * coherence.LongestWait {
			tr := newTree(rng)
			tr.trace = first.trace
			tr.span("a", "A/Do", internal, newSpanID(rng), 0, 1)
			s.judgeTraces(context.Background(), tr.td)
			time.Sleep(s.config.Window / 2)
			s.sweep(time.Now())
		}
		r := s.now()
		assert.Zero(t, totalOf(r, "missing_parent"))
		assert.Zero(t, r.Traces.Judged)
		assert.Positive(t, r.Traces.Unjudged)
		assert.EqualValues(t, 2*coherence.LongestWait, r.Services[0].Unjudged)
	})
}

func TestLimitsOfTheWindow(t *testing.T) {
	s, rng := newTestState(t, func(c *Config) { c.MaxTraces, c.MaxSpans = 2, 3 }), newRand(1)
	for range 3 {
		tr := newTree(rng)
		for range 2 {
			tr.span("a", "A/Do", internal, newSpanID(rng), 0, 1)
		}
		s.judgeTraces(context.Background(), tr.td)
	}
	s.judgeAll()
	r := s.now()
	assert.EqualValues(t, 2, totalOf(r, "missing_parent"), "of the first trace")
	assert.EqualValues(t, 1, r.Limits[report.LimitSpans].Total)
	assert.EqualValues(t, 1, r.Limits[report.LimitTraces].Total)
	a := serviceOf(t, r, "a")
	assert.EqualValues(t, 6, a.Spans+a.Unjudged+a.Late)
}

func TestClockSkew(t *testing.T) {
	s, rng := newTestState(t, nil), newRand(1)
	for range 20 {
		tr := newTree(rng)
		a := tr.span("a", "A/Do", client, none, 0, 100)
		before, after := rng.Int64N(40), rng.Int64N(40)
		tr.span("b", "B/Do", server, a.SpanID(), 500+before, 600-after) // half a second ahead
		s.judgeTraces(context.Background(), tr.td)
	}
	s.judgeAll()
	skews := s.now().Skews
	if assert.Len(t, skews, 1) {
		assert.Equal(t, "a", skews[0].Client)
		assert.True(t, skews[0].Bounded)
		assert.InDelta(t, 500*time.Millisecond, skews[0].Offset, float64(skews[0].Uncertain))
		assert.Less(t, skews[0].Uncertain, 20*time.Millisecond)
	}
	assert.Empty(t, s.now().Skews, "of the last interval only")
}
