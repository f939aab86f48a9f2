package conformanceconnector

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// expectation is what one pack expects of its system.
type expectation struct {
	system     string
	since      atomic.Int64 // when the system was first seen, of late; 0: not at all
	seen       atomic.Int64
	metrics    []*expected
	components []*expected
	edges      []*expectedEdge
}

// expected is a family of metrics, a component or an edge, and when it came last.
type expected struct {
	of   *expectation
	text string
	glob glob.Glob // of metrics
	last atomic.Int64
}

// expectedEdge is an edge, and how many traces took it.
type expectedEdge struct {
	expected
	conventions.Edge
	from, to        int // nodes
	traces, reached atomic.Int64
}

// came notes that what is expected came. A nil expected is what nobody expects.
func (e *expected) came(now time.Time) {
	if e == nil {
		return
	}
	lately(&e.last, now)
	e.of.came(now)
}

// came notes that the system is at work. A nil expectation is of what nobody expects.
func (e *expectation) came(now time.Time) {
	if e == nil {
		return
	}
	lately(&e.seen, now)
	if e.since.Load() == 0 {
		e.since.CompareAndSwap(0, now.UnixNano())
	}
}

// lately notes a time, to the second: cores that write the same place wait for each
// other.
func lately(at *atomic.Int64, now time.Time) {
	if now.UnixNano()-at.Load() >= int64(time.Second) {
		at.Store(now.UnixNano())
	}
}

// expectation is what the pack of a system expects, or nil.
func (s *state) expectation(system *naming.System) *expectation {
	for _, e := range s.expect {
		if system != nil && e.system == system.Name() {
			return e
		}
	}
	return nil
}

// newExpectations prepares what packs expect. Packs write metrics with tc_, whatever
// the prefix.
func newExpectations(packs []*conventions.Pack, prefix string) []*expectation {
	var all []*expectation
	for _, pack := range packs {
		e := &expectation{system: pack.System}
		for _, metric := range pack.Expect.Metrics {
			text := prefix + strings.TrimPrefix(metric.String(), conventions.MetricPrefix)
			e.metrics = append(e.metrics, &expected{of: e, text: text, glob: glob.New(text)})
		}
		for _, component := range pack.Expect.Components {
			e.components = append(e.components, &expected{of: e, text: component})
		}
		for _, edge := range pack.Expect.Edges {
			e.edges = append(e.edges, &expectedEdge{expected: expected{of: e, text: edge.String()}, Edge: edge})
		}
		if len(e.metrics)+len(e.components)+len(e.edges) == 0 {
			continue
		}
		all = append(all, e)
	}
	return all
}

// expectedMetrics are the families that a metric is of. One that nobody owns counts
// for whoever expects its name.
func (s *state) expectedMetrics(system *naming.System, name string) (all []*expected) {
	for _, e := range s.expect {
		if system != nil && e.system != system.Name() {
			continue
		}
		for _, m := range e.metrics {
			if m.glob.Match(name) {
				all = append(all, m)
			}
		}
	}
	return all
}

// expectedComponent is a component that its system's pack expects, or nil.
func (s *state) expectedComponent(system *naming.System, name string) *expected {
	e := s.expectation(system)
	if e == nil {
		return nil
	}
	for _, c := range e.components {
		if c.text == name {
			return c
		}
	}
	return nil
}

// missing finds what did not come. A system that sends nothing is not at work, and
// one that comes back is waited for anew.
func (s *state) missing(now time.Time) {
	after := s.config.ExpectAfter
	gone := now.Add(-after).UnixNano()
	// Whether a trace takes an edge is known when it is judged.
	goneEdge := now.Add(-after - longestWait*s.config.Window).UnixNano()
	for _, e := range s.expect {
		if e.seen.Load() <= gone {
			e.since.Store(0)
			continue
		}
		if e.since.Load() > gone {
			continue
		}
		for _, m := range e.metrics {
			s.miss(ruleMissingMetric, kindMetric, m, gone)
		}
		for _, c := range e.components {
			s.miss(ruleMissingComponent, kindSpan, c, gone)
		}
		for _, edge := range e.edges {
			if e.since.Load() <= goneEdge {
				s.miss(ruleMissingEdge, kindSpan, &edge.expected, goneEdge)
			}
		}
	}
}

func (s *state) miss(r *rule, k kind, e *expected, gone int64) {
	if e.last.Load() > gone {
		return
	}
	s.findings.row(rowKey{rule: r, kind: k, system: e.of.system, original: e.text}).count.Add(1)
}
