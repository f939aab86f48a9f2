package conformanceconnector

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

const (
	// noNode is for components that no edge has.
	noNode = -1
	// maxNodes is how many components a set of bits has room for. Edges past it are only
	// a part of the pack.
	maxNodes = 64
)

// edges knows the components that packs expect traces to go between. It does not
// change.
type edges struct {
	all   []*expectedEdge
	nodes map[node]int
}

// node is a component of a system: two systems can have a Client each.
type node struct{ system, component string }

func newEdges(expect []*expectation) *edges {
	e := &edges{nodes: map[node]int{}}
	for _, x := range expect {
		for _, edge := range x.edges {
			from, to := node{x.system, edge.From}, node{x.system, edge.To}
			edge.from, edge.to = e.add(from), e.add(to)
			if edge.from != noNode && edge.to != noNode {
				e.all = append(e.all, edge)
			}
		}
	}
	return e
}

func (e *edges) add(n node) int {
	if i, ok := e.nodes[n]; ok {
		return i
	}
	if len(e.nodes) == maxNodes {
		return noNode
	}
	e.nodes[n] = len(e.nodes)
	return e.nodes[n]
}

// node is the number of a component, or none.
func (e *edges) node(system, component string) int {
	if i, ok := e.nodes[node{system, component}]; ok {
		return i
	}
	return noNode
}

// nodeSet is a set of nodes, a bit each.
type nodeSet uint64

func setOf(node int) nodeSet {
	if node == noNode {
		return 0
	}
	return 1 << node
}

// walked notes which of the expected ways a trace took, and which it did not although
// it has a span where the way begins.
func (s *state) walked(id pcommon.TraceID, spans []waiting, parents []int, now time.Time) {
	var present nodeSet
	for i := range spans {
		present |= setOf(spans[i].verdict.node)
	}
	if present == 0 {
		return
	}
	above := ancestors(spans, parents)
	for _, edge := range s.edges.all {
		if present&setOf(edge.from) == 0 {
			continue
		}
		edge.traces.Add(1)
		var last *waiting // where the trace ends
		reached := false
		for i := range spans {
			switch spans[i].verdict.node {
			case edge.from:
				last = &spans[i]
			case edge.to:
				reached = reached || above[i]&setOf(edge.from) != 0
			}
		}
		if reached {
			edge.reached.Add(1)
			edge.came(now)
			continue
		}
		s.found(s.findings.row(rowKey{
			rule: ruleBrokenEdge, kind: kindSpan, service: last.verdict.scope.service, system: edge.of.system, original: edge.text,
		}), id)
	}
}

// ancestors are the nodes above each span. Spans that are their own ancestors, which
// nobody honest sends, have those on the way there.
func ancestors(spans []waiting, parents []int) []nodeSet {
	const (
		unknown = iota
		underway
		known
	)
	above, states := make([]nodeSet, len(spans)), make([]uint8, len(spans))
	var way []int
	for i := range spans {
		for at := i; at != noParent && states[at] == unknown; at = parents[at] {
			states[at] = underway
			way = append(way, at)
		}
		for len(way) > 0 {
			at := way[len(way)-1]
			way = way[:len(way)-1]
			if parent := parents[at]; parent != noParent {
				above[at] = above[parent] | setOf(spans[parent].verdict.node)
			}
			states[at] = known
		}
	}
	return above
}
