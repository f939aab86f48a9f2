// SPDX-License-Identifier: Apache-2.0

package coherence

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

const (
	// maxComponents limits the counted components. The known systems have about 24.
	maxComponents = 256
	// maxEdges limits the edges between them.
	maxEdges = 1024
)

// graph counts the spans of components, and the edges between components. It is safe for concurrent use.
type graph struct {
	mu         sync.Mutex
	components map[node]*componentCount
	edges      map[edge]int64
}

// componentCount holds the counts of one component. The graph's mu guards it.
type componentCount struct {
	node
	seen                  time.Time
	removed               bool // removed from the graph, though waiting spans may refer to it
	spans, roots, missing int64
}

type edge struct{ from, to *componentCount }

func newGraph() *graph {
	return &graph{components: map[node]*componentCount{}, edges: map[edge]int64{}}
}

// component returns the counts of a component, or nil if there is no room.
func (g *graph) component(system, name string) *componentCount {
	key := node{system, conformance.Kept(name)}
	g.mu.Lock()
	defer g.mu.Unlock()
	if c, ok := g.components[key]; ok {
		return c
	}
	if len(g.components) >= maxComponents {
		return nil
	}
	key.component = strings.Clone(key.component)
	c := &componentCount{node: key, seen: time.Now()}
	g.components[key] = c
	return c
}

// add counts the spans of a trace. It returns the number of spans and edges without room.
func (g *graph) add(spans []Span, parents []int, now time.Time) (unknown int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range spans {
		c := spans[i].Of.Component.count
		if c == nil || c.removed {
			unknown++
			continue
		}
		c.seen = now
		c.spans++
		switch {
		case spans[i].Parent.IsEmpty():
			c.roots++
		case parents[i] == noParent:
			c.missing++
		default:
			from := spans[parents[i]].Of.Component.count
			if from == c || from == nil || from.removed {
				continue
			}
			e := edge{from, c}
			if _, ok := g.edges[e]; !ok && len(g.edges) >= maxEdges {
				unknown++
				continue
			}
			g.edges[e]++
		}
	}
	return unknown
}

// report returns the components by system and name, and the edges by indexes of components.
func (g *graph) report() ([]conformance.Component, []conformance.Edge) {
	g.mu.Lock()
	defer g.mu.Unlock()
	components, edges := []conformance.Component{}, []conformance.Edge{}
	var counted []*componentCount
	for _, c := range g.components {
		if c.spans > 0 {
			counted = append(counted, c)
		}
	}
	slices.SortFunc(counted, func(a, b *componentCount) int {
		return cmp.Or(strings.Compare(a.system, b.system), strings.Compare(a.component, b.component))
	})
	at := make(map[*componentCount]int, len(counted))
	for i, c := range counted {
		at[c] = i
		components = append(components, conformance.Component{
			System: c.system, Name: c.component, Spans: c.spans, Roots: c.roots, MissingParents: c.missing,
		})
	}
	for e, spans := range g.edges {
		edges = append(edges, conformance.Edge{From: at[e.from], To: at[e.to], Spans: spans})
	}
	slices.SortFunc(edges, func(a, b conformance.Edge) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	return components, edges
}

// forget removes the components without spans since a time, and reports whether there were any.
func (g *graph) forget(since time.Time) (any bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for key, c := range g.components {
		if c.seen.Before(since) {
			c.removed, any = true, true
			delete(g.components, key)
		}
	}
	maps.DeleteFunc(g.edges, func(e edge, _ int64) bool { return e.from.removed || e.to.removed })
	return any
}
