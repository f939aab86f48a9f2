// SPDX-License-Identifier: Apache-2.0

package coherence

import (
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// judge judges traces one after another.
type judge struct {
	t       *Traces
	now     time.Time
	ending  bool // traces do not wait longer, so an edge that they lack is no finding
	index   index
	parents []int
}

func (j *judge) judge(traces []*trace, lock sync.Locker) {
	lock.Lock()
	defer lock.Unlock()
	for _, x := range traces {
		j.trace(x)
	}
}

const noParent = -1

// trace judges the structure of one trace. It skips a trace without some of its spans, because missing
// parents would not be the sender's fault.
func (j *judge) trace(t *trace) {
	j.index.build(t.spans)
	spans := j.index.spans
	if t.cut {
		j.t.unjudged.Add(1)
		for i := range spans {
			spans[i].Of.Service.Unjudged.Add(1)
		}
		return
	}
	j.t.judged.Add(1)
	parents := j.parents[:0]
	for i := range spans {
		span := &spans[i]
		span.Of.Service.Spans.Add(1)
		if r := span.ownTimes(); r != nil {
			j.found(r, t.id, span)
		}
		parent := noParent
		if span.Parent.IsEmpty() {
			span.Of.Service.Roots.Add(1)
		} else if at, ok := j.index.find(span.Parent); !ok || at == i {
			j.found(report.RuleMissingParent, t.id, span)
		} else {
			parent = at
			if r := j.times(&spans[parent], span); r != nil {
				j.found(r, t.id, span)
			}
		}
		parents = append(parents, parent)
	}
	j.parents = parents
	j.expected(t.id, spans, parents)
	if unknown := j.t.graph.add(spans, parents, j.now); unknown > 0 {
		j.t.results.Refuse(report.LimitComponents, unknown)
	}
}

// found counts a finding about a span under the span's conformant name.
func (j *judge) found(r *report.Rule, trace pcommon.TraceID, span *Span) {
	j.t.results.Finding(report.Key{
		Rule: r, Kind: report.KindSpan, Service: span.Of.Service, System: span.Of.System, Original: span.Of.Name,
	}).Found(1, trace)
}

// ownTimes judges the times of a span without those of others. It returns the violated rule, or nil.
func (s *Span) ownTimes() *report.Rule {
	switch {
	case !correlation.Plausible(pcommon.Timestamp(s.Start)) || !correlation.Plausible(pcommon.Timestamp(s.End)):
		return report.RuleImplausible
	case s.End < s.Start:
		return report.RuleEndsBefore
	}
	return nil
}

// times compares the times of a span with those of its parent. It returns the violated rule, or nil. A
// consumer may end after its producer. If the times of one of them are wrong by themselves, they show
// nothing about the other, nor about clocks.
func (j *judge) times(parent, span *Span) *report.Rule {
	if parent.ownTimes() != nil || span.ownTimes() != nil {
		return nil
	}
	tolerance := int64(j.t.settings.Tolerance)
	client, server := parent.Of.Service, span.Of.Service
	if parent.Kind == Client && span.Kind == Server && client != server {
		// A server span lies within its client span, which gives bounds for the clock offset. If the
		// server span is longer, no offset fits.
		least, most := span.End-parent.End, span.Start-parent.Start
		if least <= most {
			if !j.t.skews.add(client, server, least, most) {
				j.t.results.Refuse(report.LimitSkews, 1)
			}
			if least > tolerance || most < -tolerance {
				return report.RuleClockSkew
			}
			return nil
		}
	}
	switch {
	case span.Start < parent.Start-tolerance:
		return report.RuleStartsBefore
	case span.End-tolerance > parent.End && span.Kind != Consumer && parent.Kind != Producer:
		return report.RuleEndsAfter
	}
	return nil
}

// index finds the spans of one trace by span id.
type index struct {
	spans []Span                 // without duplicates
	at    map[pcommon.SpanID]int // index of each span
}

// build replaces the spans by those of another trace, and reuses the memory.
func (x *index) build(spans []Span) {
	x.spans = spans[:0]
	if x.at == nil {
		x.at = make(map[pcommon.SpanID]int, len(spans))
	}
	clear(x.at)
	for i := range spans {
		if _, ok := x.find(spans[i].ID); ok && !spans[i].ID.IsEmpty() {
			continue
		}
		x.at[spans[i].ID] = len(x.spans)
		x.spans = append(x.spans, spans[i])
	}
}

// complete reports whether spans have a root, and all their parents.
func (x *index) complete(spans []Span) bool {
	x.build(slices.Clone(spans)) // it keeps the memory that it is given
	root := false
	for i := range x.spans {
		if x.spans[i].Parent.IsEmpty() {
			root = true
		} else if at, ok := x.find(x.spans[i].Parent); !ok || at == i {
			return false
		}
	}
	return root
}

func (x *index) find(id pcommon.SpanID) (place int, ok bool) {
	place, ok = x.at[id]
	return place, ok
}
