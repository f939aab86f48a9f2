// SPDX-License-Identifier: Apache-2.0

package coherence

import (
	"maps"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
)

// maxNodes is the number of components in a nodeSet. Edges of further components are not checked.
const maxNodes = 64

// nodeSet is a set of components with expected edges, one bit each.
type nodeSet uint64

// edges holds the edges that packs expect of traces. It is immutable.
type edges struct {
	all   []expectedEdge
	nodes map[node]nodeSet
}

type expectedEdge struct {
	*report.PackEdge
	system   string
	from, to nodeSet
}

// node is a component of a system. Two systems can have components of the same name.
type node struct{ system, component string }

// newEdges returns the edges that packs expect. Spans that wait have sets of nodes before it, whose components keep
// their bits as long as there are enough.
func newEdges(packs []*report.Pack, before map[node]nodeSet) *edges {
	e := &edges{nodes: map[node]nodeSet{}}
	maps.Copy(e.nodes, before)
	for _, p := range packs {
		for _, edge := range p.Edges {
			from, to := e.add(node{p.System, edge.From}), e.add(node{p.System, edge.To})
			if from != 0 && to != 0 {
				e.all = append(e.all, expectedEdge{edge, p.System, from, to})
			}
		}
	}
	if len(e.nodes) == maxNodes && len(before) > 0 {
		return newEdges(packs, nil)
	}
	return e
}

func (e *edges) add(n node) nodeSet {
	if _, ok := e.nodes[n]; !ok && len(e.nodes) < maxNodes {
		e.nodes[n] = 1 << len(e.nodes)
	}
	return e.nodes[n]
}

// node returns the set with this component, or the empty set if no edge has it.
func (e *edges) node(system, component string) nodeSet { return e.nodes[node{system, component}] }

// expected counts the expected edges that a trace has, and finds missing edges: the trace has a span at
// the start of the edge only.
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
		var last *Span // the last span of the trace
		reached := false
		for i := range spans {
			switch spans[i].Of.Component.node {
			case edge.from:
				last = &spans[i]
			case edge.to:
				reached = reached || above[i]&edge.from != 0
			}
		}
		if !reached && j.ending { // the rest of the trace may come to another process
			continue
		}
		edge.Traces.Add(1)
		if reached {
			edge.Reached.Add(1)
			edge.Seen(j.now)
			continue
		}
		j.t.results.Finding(report.Key{
			Rule: report.RuleBrokenEdge, Kind: report.KindSpan, Service: last.Of.Service, System: edge.system, Original: edge.Text,
		}).Found(1, id)
	}
}

// ancestors returns the components above each span. If spans are their own ancestors, which only hostile
// senders produce, it follows the cycle once.
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
