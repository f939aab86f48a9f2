package spanlinkprocessor

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

type spanID struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

// relations are who is above whom among the spans of a batch. They are found out only
// when two spans of one trace share a key, which is rare.
type relations struct {
	batch ptrace.Traces   // the zero value: there is none
	nodes map[spanID]node // nil: not found out yet
}

// node is a span in its trace. It is above those that are entered between its entry and
// its exit, when one walks down the trace.
type node struct {
	parent      spanID
	entry, exit int32
}

func (r *relations) begin(td ptrace.Traces) { r.batch = td }

func (r *relations) end() { *r = relations{} }

// keepsApart tells whether a rule does not link two spans since they are of one trace.
func (w *walk) keepsApart(e *entry, self, other *correlation.Member) bool {
	if self.TraceID != other.TraceID {
		return false
	}
	switch e.stage.rule.SameTrace {
	case linking.SameTraceAlways:
		return false
	case linking.SameTraceNever:
		return true
	}
	one, another := idOf(self), idOf(other)
	return self.ParentSpanID == other.SpanID || other.ParentSpanID == self.SpanID ||
		slices.Contains(w.spans[e.span].ancestors, another) ||
		w.relations.isAbove(one, another) || w.relations.isAbove(another, one)
}

func idOf(m *correlation.Member) spanID { return spanID{m.TraceID, m.SpanID} }

// isAbove tells whether a is an ancestor of b by what the batch has.
func (r *relations) isAbove(a, b spanID) bool {
	if !r.find() {
		return false
	}
	above, ok := r.nodes[a]
	if !ok {
		return false
	}
	below, ok := r.nodes[b]
	return ok && above.entry < below.entry && below.entry < above.exit
}

// maxAncestors is how many ancestors a span takes with it that waits.
const maxAncestors = 64

// ancestorsOf are those that the batch has, the nearest first.
func (r *relations) ancestorsOf(id spanID) (above []spanID) {
	if !r.find() {
		return nil
	}
	for range maxAncestors {
		id = r.nodes[id].parent
		if id.span.IsEmpty() {
			break
		}
		above = append(above, id)
	}
	return above
}

// find finds out the relations, once. It returns false where there is no batch.
func (r *relations) find() bool {
	if r.nodes != nil || r.batch == (ptrace.Traces{}) {
		return r.nodes != nil
	}
	r.nodes = map[spanID]node{}
	below := map[spanID][]spanID{}
	for _, rs := range r.batch.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				id, parent := spanID{span.TraceID(), span.SpanID()}, spanID{span.TraceID(), span.ParentSpanID()}
				if _, again := r.nodes[id]; !again {
					r.nodes[id] = node{parent: parent}
					below[parent] = append(below[parent], id)
				}
			}
		}
	}
	r.number(below)
	return true
}

// number walks down each trace, from the spans whose parents are elsewhere. Those that
// are above each other in a circle are not reached, and above nobody.
func (r *relations) number(below map[spanID][]spanID) {
	count := int32(0)
	var path []spanID
	for parent := range below {
		if _, here := r.nodes[parent]; here {
			continue
		}
		path = append(path, below[parent]...)
		for len(path) > 0 {
			id := path[len(path)-1]
			n := r.nodes[id]
			count++
			if n.entry == 0 {
				n.entry = count
				path = append(path, below[id]...)
			} else {
				n.exit = count
				path = path[:len(path)-1]
			}
			r.nodes[id] = n
		}
	}
}
