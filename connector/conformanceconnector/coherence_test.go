// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

const (
	internal = ptrace.SpanKindInternal
	client   = ptrace.SpanKindClient
	server   = ptrace.SpanKindServer
)

var none pcommon.SpanID

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

func TestGraph(t *testing.T) {
	s, tr := newTestState(t, nil), newTree(newRand(1))
	store := tr.span("tensorcast-client", "Store/Put", client, none, 0, 100)
	daemon := tr.span("tensorcast-daemon", "StoreDaemon/Put", server, store.SpanID(), 10, 90)
	tr.span("tensorcast-daemon", "StoreDaemon/Write", internal, daemon.SpanID(), 20, 80)
	tr.span("tensorcast-daemon", "P2P/Send", internal, daemon.SpanID(), 20, 80)
	tr.span("tensorcast-daemon", "P2P/Send", internal, newSpanID(tr.rng), 20, 80)
	tr.span("web", "GET", server, none, 0, 1)
	s.judgeTraces(context.Background(), tr.td)
	s.judgeAll()
	r := s.now()

	type counts struct{ spans, roots, missing int64 }
	got := map[string]counts{}
	for _, c := range r.Components {
		got[c.Name] = counts{c.Spans, c.Roots, c.MissingParents}
	}
	assert.Equal(t, map[string]counts{
		"Store": {1, 1, 0}, "StoreDaemon": {2, 0, 0}, "P2P": {2, 0, 1},
		"web": {1, 1, 0}, // its span names no component
	}, got)
	edges := map[string]int64{}
	for _, w := range r.Edges {
		edges[r.Components[w.From].Name+" -> "+r.Components[w.To].Name] = w.Spans
	}
	assert.Equal(t, map[string]int64{"Store -> StoreDaemon": 1, "StoreDaemon -> P2P": 1}, edges)
}

// TestGraphIsBounded checks that components beyond the limit are counted together, until others are
// forgotten.
func TestGraphIsBounded(t *testing.T) {
	s, tr := newTestState(t, nil), newTree(newRand(1))
	const maxComponents, more = 256, 10
	for i := range maxComponents + more {
		tr.span("a", "Component"+strconv.Itoa(i)+"/Do", internal, none, 0, 1)
	}
	s.judgeTraces(context.Background(), tr.td)
	s.judgeAll()
	r := s.now()
	assert.Len(t, r.Components, maxComponents)
	assert.EqualValues(t, more, r.Limits[report.LimitComponents].Total)

	s.report(time.Now().Add(report.ForgetAfter+time.Minute), true)
	next := newTree(newRand(2))
	next.span("a", "New/Do", internal, none, 0, 1)
	s.judgeTraces(context.Background(), next.td)
	s.judgeAll()
	r = s.now()
	assert.Equal(t, []conformance.Component{{System: "none", Name: "New", Spans: 1, Roots: 1}}, r.Components)
}
