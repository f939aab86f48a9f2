package conventions

import (
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// checkExpect reports what is expected twice, and edges that lead nowhere. An edge's
// components are expected by the edge already, so that one in both lists is no fault:
// components says that a component is there, an edge that it is reached.
func (p *Pack) checkExpect(doc *yaml.Node) []*lineError {
	node := child(doc.Content[0], "expect")
	var faults []*lineError
	fault := func(list string, i int, format string, args ...any) {
		at := child(child(node, list), strconv.Itoa(i))
		faults = append(faults, &lineError{at.Line, fmt.Errorf("expect."+list+"."+strconv.Itoa(i)+": "+format, args...)})
	}
	for i, glob := range p.Expect.Metrics {
		if slices.ContainsFunc(p.Expect.Metrics[:i], func(g Glob) bool { return g.String() == glob.String() }) {
			fault("metrics", i, "must be listed once (got %q again)", glob)
		}
	}
	for i, component := range p.Expect.Components {
		if slices.Contains(p.Expect.Components[:i], component) {
			fault("components", i, "must be listed once (got %q again)", component)
		}
	}
	for i, edge := range p.Expect.Edges {
		switch {
		case edge.From == edge.To:
			fault("edges", i, "must lead to another component (got %q)", edge)
		case slices.Contains(p.Expect.Edges[:i], edge):
			fault("edges", i, "must be listed once (got %q again)", edge)
		}
	}
	return faults
}
