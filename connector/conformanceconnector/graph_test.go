// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

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
