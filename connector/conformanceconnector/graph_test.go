package conformanceconnector

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestGraph(t *testing.T) {
	s, tr := newTestState(t, nil), newTree(newRand(1))
	store := tr.span("tensorcast-client", "Store/Put", client, none, 0, 100)
	daemon := tr.span("tensorcast-daemon", "StoreDaemon/Put", server, store.SpanID(), 10, 90)
	tr.span("tensorcast-daemon", "StoreDaemon/Write", internal, daemon.SpanID(), 20, 80)
	tr.span("tensorcast-daemon", "P2P/Send", internal, daemon.SpanID(), 20, 80)
	tr.span("tensorcast-daemon", "P2P/Send", internal, newSpanID(tr.rng), 20, 80)
	tr.span("web", "GET", server, none, 0, 1)
	s.traces(tr.td)
	s.judgeAll()
	r := s.now()

	type counts struct{ spans, roots, missing int64 }
	got := map[string]counts{}
	for _, c := range r.Components {
		got[c.Name] = counts{c.Spans, c.Roots, c.MissingParents}
	}
	assert.Equal(t, map[string]counts{
		"Store": {1, 1, 0}, "StoreDaemon": {2, 0, 0}, "P2P": {2, 0, 1},
		"web": {1, 1, 0}, // whose span names no component
	}, got)
	ways := map[string]int64{}
	for _, w := range r.Ways {
		ways[r.Components[w.From].Name+" -> "+r.Components[w.To].Name] = w.Spans
	}
	assert.Equal(t, map[string]int64{"Store -> StoreDaemon": 1, "StoreDaemon -> P2P": 1}, ways)
}

// Components past the bound are counted and not told apart, until others are forgotten.
func TestGraphIsBounded(t *testing.T) {
	s, tr := newTestState(t, nil), newTree(newRand(1))
	const more = 10
	for i := range maxComponents + more {
		tr.span("a", "Component"+strconv.Itoa(i)+"/Do", internal, none, 0, 1)
	}
	s.traces(tr.td)
	s.judgeAll()
	r := s.now()
	assert.Len(t, r.Components, maxComponents)
	assert.EqualValues(t, more, r.limit(limitComponents))

	s.report(time.Now().Add(forgetAfter+time.Minute), true)
	next := newTree(newRand(2))
	next.span("a", "New/Do", internal, none, 0, 1)
	s.traces(next.td)
	s.judgeAll()
	r = s.now()
	assert.Equal(t, []Component{{System: "none", Name: "New", Spans: 1, Roots: 1}}, r.Components)
}

// A trace that waits may know a component that is forgotten meanwhile.
func TestForgottenComponentsAreNotCounted(t *testing.T) {
	g := newGraph()
	a, b := g.component("", "A"), g.component("", "B")
	spans := []waiting{{verdict: &spanVerdict{component: a}}, {verdict: &spanVerdict{component: b}}}
	spans[1].parent[0] = 1
	g.forget(time.Now().Add(time.Minute))
	assert.EqualValues(t, 2, g.add(spans, []int{noParent, 0}, time.Now()))
	components, ways := g.report()
	assert.Empty(t, components)
	assert.Empty(t, ways)
}

func TestWaysAreBounded(t *testing.T) {
	g := newGraph()
	const some = 40 // whose ways to each other are more than there is room for
	var unknown int64
	for from := range some {
		for to := range some {
			spans := []waiting{
				{verdict: &spanVerdict{component: g.component("", strconv.Itoa(from))}},
				{verdict: &spanVerdict{component: g.component("", strconv.Itoa(to))}},
			}
			spans[1].parent[0] = 1
			unknown += g.add(spans, []int{noParent, 0}, time.Now())
		}
	}
	_, ways := g.report()
	assert.Len(t, ways, maxWays)
	assert.EqualValues(t, some*(some-1)-maxWays, unknown)
}
