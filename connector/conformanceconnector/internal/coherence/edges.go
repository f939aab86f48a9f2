package coherence

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
)

// maxNodes is how many components a nodeSet has room for. Edges past it are not looked for.
const maxNodes = 64

// nodeSet is a set of components that expected edges have, a bit each.
type nodeSet uint64

// edges are those that packs expect of traces. It does not change.
type edges struct {
	all   []expectedEdge
	nodes map[node]nodeSet
}

type expectedEdge struct {
	*report.PackEdge
	system   string
	from, to nodeSet
}

// node is a component of a system: two systems can have a Client each.
type node struct{ system, component string }

func newEdges(packs []*report.Pack) *edges {
	e := &edges{nodes: map[node]nodeSet{}}
	for _, p := range packs {
		for _, edge := range p.Edges {
			from, to := e.add(node{p.System, edge.From}), e.add(node{p.System, edge.To})
			if from != 0 && to != 0 {
				e.all = append(e.all, expectedEdge{edge, p.System, from, to})
			}
		}
	}
	return e
}

func (e *edges) add(n node) nodeSet {
	if _, ok := e.nodes[n]; !ok && len(e.nodes) < maxNodes {
		e.nodes[n] = 1 << len(e.nodes)
	}
	return e.nodes[n]
}

// node returns the set of one component, or of none.
func (e *edges) node(system, component string) nodeSet { return e.nodes[node{system, component}] }

// expected counts the expected edges that a trace has, and finds those that it lacks although it
// has a span where the edge begins.
func (j *judge) expected(id pcommon.TraceID, spans []Span, parents []int) {
	var present nodeSet
	for i := range spans {
		present |= spans[i].Of.Component.node
	}
	if present == 0 {
		return
	}
	above := ancestors(spans, parents)
	for _, edge := range j.t.edges.all {
		if present&edge.from == 0 {
			continue
		}
		edge.Traces.Add(1)
		var last *Span // where the trace ends
		reached := false
		for i := range spans {
			switch spans[i].Of.Component.node {
			case edge.from:
				last = &spans[i]
			case edge.to:
				reached = reached || above[i]&edge.from != 0
			}
		}
		if reached {
			edge.Reached.Add(1)
			edge.Came(j.now)
			continue
		}
		j.t.results.Finding(report.Key{
			Rule: report.RuleBrokenEdge, Kind: report.KindSpan, Service: last.Of.Service, System: edge.system, Original: edge.Text,
		}).Found(1, id)
	}
}

// ancestors returns the nodes above each span. Spans that are their own ancestors, which nobody
// honest sends, have those up to where the circle closes.
func ancestors(spans []Span, parents []int) []nodeSet {
	above, seen := make([]nodeSet, len(spans)), make([]bool, len(spans))
	var chain []int
	for i := range spans {
		for at := i; at != noParent && !seen[at]; at = parents[at] {
			seen[at] = true
			chain = append(chain, at)
		}
		for ; len(chain) > 0; chain = chain[:len(chain)-1] {
			at := chain[len(chain)-1]
			if parent := parents[at]; parent != noParent {
				above[at] = above[parent] | spans[parent].Of.Component.node
			}
		}
	}
	return above
}
