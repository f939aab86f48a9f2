// SPDX-License-Identifier: Apache-2.0

package keylookup

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// Line is a record of a process, with a key that several processes may use.
type Line struct {
	Process   correlation.Process
	Written   Time
	TraceOnly bool // its span is unknown
	Last      bool // it waits no longer
}

// Candidates are the traces that a line may be of: those of the spans with its key, and those that other lines state.
type Candidates []*candidate

// candidate is a trace that has the key of a line.
type candidate struct {
	trace       pcommon.TraceID
	spans       []correlation.Member // with the key, in the line's time
	same        correlation.Evidence // what the line has in common with anything of the trace
	contradicts bool                 // no span can be of the line's process
}

// Candidates returns the traces that the line may be of, by the members of its key.
func (l *Line) Candidates(members []correlation.Member) Candidates {
	var all Candidates
	candidateOf := func(trace pcommon.TraceID) *candidate {
		for _, c := range all {
			if c.trace == trace {
				return c
			}
		}
		c := &candidate{trace: trace}
		all = append(all, c)
		return c
	}
	ended := map[pcommon.TraceID]bool{}
	for i := range members {
		m := &members[i]
		if m.Log || m.TraceID.IsEmpty() {
			continue
		}
		if !l.Written.isIn(m) {
			ended[m.TraceID] = true
			continue
		}
		c := candidateOf(m.TraceID)
		same, contradicts := l.Process.With(correlation.Process(m.TraceState))
		c.contradicts = contradicts && (len(c.spans) == 0 || c.contradicts)
		if c.spans = append(c.spans, *m); !contradicts {
			c.same |= same
		}
	}
	spans := len(all)
	for i := range members {
		m := &members[i]
		if !m.Log || m.TraceID.IsEmpty() || !l.Written.isIn(m) && !slices.ContainsFunc(all[:spans], func(c *candidate) bool { return c.trace == m.TraceID }) {
			continue
		}
		known := len(all)
		c := candidateOf(m.TraceID)
		same, contradicts := l.Process.With(correlation.Process(m.TraceState))
		if len(c.spans) == 0 {
			c.contradicts = contradicts && (len(all) > known || c.contradicts)
		}
		if !contradicts {
			c.same |= same
		}
	}
	// A trace whose spans have another time is none, whatever lines state it.
	kept := all[:spans]
	for _, c := range all[spans:] {
		if !ended[c.trace] {
			kept = append(kept, c)
		}
	}
	return kept
}

// Waits reports whether a line may wait for what shows that its request is not split.
func (l *Line) Waits(split correlation.Split) bool {
	return split == correlation.NotSplit && !l.Last && l.Process.HasFile()
}

// Traces returns the ids of the traces.
func (c Candidates) Traces() []pcommon.TraceID {
	var all []pcommon.TraceID
	for _, one := range c {
		all = append(all, one.trace)
	}
	return all
}

// SplitOfThreads returns what the threads of the traces have in common.
func (c Candidates) SplitOfThreads(threads map[pcommon.TraceID][]correlation.Process) correlation.Split {
	split := correlation.NotSplit
	for i, one := range c {
		for _, other := range c[:i] {
			split |= correlation.SplitOfThreads(threads[one.trace], threads[other.trace])
		}
	}
	return split
}

// SpanOf returns the span that the line belongs to, by its candidates, which it changes, and by what their threads
// state. Where requests are split, only evidence of the process decides. Evidence for two traces decides nothing. Where
// it is not known whether requests are split, a line of a file without evidence waits for the other part of its
// request.
func (l *Line) SpanOf(candidates Candidates, threads map[pcommon.TraceID][]correlation.Process, split correlation.Split) Answer {
	allowed := split.Allowed()
	var found *candidate
	evident, possible := 0, 0
	for _, c := range candidates {
		if c.contradicts {
			continue
		}
		for _, thread := range threads[c.trace] {
			if same, contradicts := l.Process.With(thread); !contradicts {
				c.same |= same
			}
		}
		if len(c.spans) == 0 {
			// How long the request lasts is not known, and whether it is split.
			if c.same &= (split | correlation.SplitTraces).Allowed(); c.same == 0 {
				continue
			}
		}
		possible++
		switch c.same &= allowed; {
		case c.same != 0:
			evident++
			found = c
		case evident == 0:
			found = c
		}
	}
	switch {
	case possible == 0:
		return Answer{Kind: Nobody}
	case evident > 1:
		return Answer{Kind: Several}
	case evident == 0 && (split.Is() || l.Waits(split)):
		return Answer{Kind: NoProcess}
	case evident == 0 && possible > 1:
		return Answer{Kind: Several}
	}
	a := Answer{Kind: Found, Trace: found.trace}
	if len(found.spans) > 0 {
		a = SpanOf(found.spans, l.TraceOnly, l.Written)
	}
	a.By = found.same
	return a
}
