// SPDX-License-Identifier: Apache-2.0

package main

import "fmt"

// joined is what links say of traces and pairs.
type joined struct {
	systems map[string]*linking
	rules   map[string]*linksOfRule
	// truth and found have edges, earlier to later; found has who carries the link.
	truth map[edge]sentPair
	found map[edge]spanRef
	// before and after are the traces that are linked to another.
	before, after map[string]bool
}

type edge struct{ from, to spanRef }

// join compares the links that came out with the truth about what belongs together.
func join(sent []sentPair, spans map[string][]receivedSpan) joined {
	j := joined{
		systems: map[string]*linking{},
		rules:   map[string]*linksOfRule{},
		truth:   map[edge]sentPair{},
		found:   map[edge]spanRef{},
		before:  map[string]bool{},
		after:   map[string]bool{},
	}
	for _, p := range sent {
		j.truth[edge{p.From, p.To}] = p
		if p.Findable {
			j.of(p.System).findable++
		}
	}
	for system, all := range spans {
		for _, s := range all {
			j.span(j.of(system), s)
		}
	}
	for system, all := range spans {
		j.traces(j.of(system), all)
	}
	return j
}

func (j *joined) of(system string) *linking {
	if j.systems[system] == nil {
		j.systems[system] = &linking{}
	}
	return j.systems[system]
}

// span looks at the links of a span.
func (j *joined) span(l *linking, s receivedSpan) {
	targets := map[spanRef]bool{}
	for _, link := range s.links {
		if targets[link.to] {
			l.doubled++
		}
		targets[link.to] = true
		if link.to.TraceID != s.TraceID {
			for _, trace := range []string{s.TraceID, link.to.TraceID} {
				j.after[trace] = true
				j.before[trace] = j.before[trace] || !link.derived()
			}
		}
		if link.derived() {
			j.count(link)
			j.judge(l, s.spanRef, link)
		}
	}
}

// count counts a link by its rule.
func (j *joined) count(link receivedLink) {
	rule := j.rules[link.rule]
	if rule == nil {
		rule = &linksOfRule{}
		j.rules[link.rule] = rule
	}
	rule.links++
	if link.forward {
		rule.forward++
	}
	switch link.evidence {
	case "span":
		rule.bySpan++
	case "log":
		rule.byLog++
	}
}

// judge holds a derived link against the truth.
func (j *joined) judge(l *linking, on spanRef, link receivedLink) {
	if link.to == on {
		l.own++
		return
	}
	says, reverse := edge{link.to, on}, edge{on, link.to}
	if link.forward {
		says, reverse = reverse, says
	}
	pair, right := j.truth[says]
	if !right {
		how := "which do not belong together"
		if _, turned := j.truth[reverse]; turned {
			how = "the wrong way round"
		}
		l.wrong = append(l.wrong, fmt.Sprintf("%s joins span %s of trace %s and, after it, %s of %s: %s",
			link.rule, says.from.SpanID, says.from.TraceID, says.to.SpanID, says.to.TraceID, how))
		return
	}
	if other, again := j.found[says]; again {
		if other != on {
			l.bothWays++
		}
		return
	}
	j.found[says] = on
	if pair.Findable {
		j.of(pair.System).found++
	}
}

// traces counts a system's traces.
func (j *joined) traces(l *linking, spans []receivedSpan) {
	seen := map[string]bool{}
	for _, s := range spans {
		if seen[s.TraceID] {
			continue
		}
		seen[s.TraceID] = true
		l.traces++
		if !j.before[s.TraceID] {
			l.alone++
		}
		if j.after[s.TraceID] {
			l.linked++
		}
	}
}
