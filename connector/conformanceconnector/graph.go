package conformanceconnector

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// maxComponents bounds the components that are told apart. The systems have two
	// dozen.
	maxComponents = 256
	// maxWays bounds the ways between them.
	maxWays = 1024
)

// graph counts which components spans are of, and which ways traces take between them.
// It is safe for concurrent use.
type graph struct {
	mu         sync.Mutex
	components map[node]*componentCount
	ways       map[way]int64
}

// componentCount is what is counted for one component; the graph's mu guards it.
type componentCount struct {
	node
	seen                  time.Time
	gone                  bool // forgotten, though spans that wait may know it
	spans, roots, missing int64
}

type way struct{ from, to *componentCount }

func newGraph() *graph {
	return &graph{components: map[node]*componentCount{}, ways: map[way]int64{}}
}

// component returns what is counted for a component, or nil where there is no room.
func (g *graph) component(system, name string) *componentCount {
	key := node{system, kept(name)}
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

// add counts the spans of a trace. It returns those that there is no room for.
func (g *graph) add(spans []waiting, parents []int, now time.Time) (unknown int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range spans {
		c := spans[i].verdict.component
		if c == nil || c.gone {
			unknown++
			continue
		}
		c.seen = now
		c.spans++
		switch {
		case spans[i].parent.IsEmpty():
			c.roots++
		case parents[i] == noParent:
			c.missing++
		default:
			from := spans[parents[i]].verdict.component
			if from == c || from == nil || from.gone {
				continue
			}
			w := way{from, c}
			if _, ok := g.ways[w]; !ok && len(g.ways) >= maxWays {
				unknown++
				continue
			}
			g.ways[w]++
		}
	}
	return unknown
}

// report lists the components by system and name, and the ways by their places there.
func (g *graph) report() ([]Component, []Way) {
	g.mu.Lock()
	defer g.mu.Unlock()
	components, ways := []Component{}, []Way{}
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
		components = append(components, Component{c.system, c.component, c.spans, c.roots, c.missing})
	}
	for w, spans := range g.ways {
		ways = append(ways, Way{at[w.from], at[w.to], spans})
	}
	slices.SortFunc(ways, func(a, b Way) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	return components, ways
}

// forget forgets the components that no span came of since a time, and tells whether
// there were any.
func (g *graph) forget(since time.Time) (any bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for key, c := range g.components {
		if c.seen.Before(since) {
			c.gone, any = true, true
			delete(g.components, key)
		}
	}
	if any {
		for w := range g.ways {
			if w.from.gone || w.to.gone {
				delete(g.ways, w)
			}
		}
	}
	return any
}
