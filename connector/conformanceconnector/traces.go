package conformanceconnector

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// linkRuleKey is on the links that span_link derives.
const linkRuleKey = "tc.link.rule"

// traces judges the names and keys of spans, and keeps what their traces are judged by.
func (s *state) traces(td ptrace.Traces) {
	w := s.begin()
	defer w.end()
	for _, rs := range td.ResourceSpans().All() {
		resource := rs.Resource().Attributes()
		for i, ss := range rs.ScopeSpans().All() {
			w.enter(resource, ss.Scope())
			if i == 0 {
				w.keys(resource, w.owner(resource, ""))
			}
			for _, span := range ss.Spans().All() {
				w.span(span)
			}
			w.leave()
		}
	}
}

func (w *walk) span(span ptrace.Span) {
	attrs, trace := span.Attributes(), span.TraceID()
	recent := w.name(span.Name(), attrs)
	v := recent.verdict
	recent.items++
	if v.row != nil {
		v.row.exemplify(trace)
	}
	i := 0
	for key, value := range attrs.All() {
		w.keyOf(&recent.recentItems, i, key, v.system)
		i++
		if key == naming.OriginalNameKey && v.row == nil && !recent.wasRenamed(value, trace) {
			w.wasRenamed(&recent.recentItems, kindSpan, value, span.Name(), trace, func(original string) naming.Decision {
				return w.namer.Span(w.scope.Context, text(attrs, rpcServiceKey), original)
			})
		}
	}
	for _, event := range span.Events().All() {
		w.keys(event.Attributes(), v.system)
	}
	for _, link := range span.Links().All() {
		if rule := text(link.Attributes(), linkRuleKey); rule != "" {
			w.links.add(rule)
		}
		w.keys(link.Attributes(), v.system)
	}
	w.keep(recent, span)
}

// name decides a span's name. Its rpc.service matters for few names only.
func (w *walk) name(name string, attrs pcommon.Map) *recentSpan {
	slot := recentSlot(name) % recentNames
	recent := &w.spans[slot]
	w.spansSeen |= 1 << slot
	if v := recent.verdict; v != nil && v.scope == w.scope && v.name == name &&
		(v.anyRPCService || v.rpcService == text(attrs, rpcServiceKey)) {
		return recent
	}
	rpcService := ""
	if !naming.ConformantSpan(name) {
		rpcService = text(attrs, rpcServiceKey)
	}
	v := w.spanVerdict(w.scope, rpcService, name)
	if len(name)+len(rpcService) > maxCachedName {
		recent = &w.longSpan
	}
	w.addUpSpan(recent)
	*recent = recentSpan{verdict: v, recentItems: recentItems{keys: recent.keys[:0]}}
	return recent
}

// wasRenamed notes a name that something before made conformant.
func (w *walk) wasRenamed(recent *recentItems, k kind, original pcommon.Value, name string, trace pcommon.TraceID, decide func(string) naming.Decision) {
	if original.Type() != pcommon.ValueTypeStr {
		return
	}
	found := w.renamed(w.scope.service, k, original.Str(), name, decide)
	w.lastRenamed(recent, k, original.Str(), found)
	w.scope.service.renamed[k].Add(1)
	w.found(found, trace)
}

// keep has a span wait for the rest of its trace.
func (w *walk) keep(recent *recentSpan, span ptrace.Span) {
	if w.batch.full() {
		w.flush()
	}
	if t := w.batch.trace(span.TraceID(), w.sampling); t != nil {
		t.add(newWaiting(span, recent.verdict))
	} else {
		recent.unsampled++
	}
}

// flush puts the spans of the batch into the window.
func (w *walk) flush() {
	if len(w.batch.spans) == 0 {
		return
	}
	w.window.add(w.batch, w.now, w.refused, w.unjudged)
	w.batch.empty()
}

// unjudged counts a span of a trace that was to be judged.
func (w *walk) unjudged(span *waiting) { w.unsampled(span.verdict, 1) }

// unsampled counts spans of traces that are not among those that are judged.
func (w *walk) unsampled(v *spanVerdict, n int64) {
	w.refuse(limitSpans, n)
	v.scope.service.unjudged.Add(n)
}

// refused counts the spans of a trace that do not wait.
func (w *walk) refused(t *traceSpans, waits int, why refusal) {
	t.from(waits, func(span *waiting) {
		svc := span.verdict.scope.service
		switch why {
		case refusedLate:
			svc.late.Add(1)
		case refusedTraces:
			w.refuse(limitTraces, 1)
			svc.unjudged.Add(1)
			why = refusedLate // those after it come too late
		case refusedSpans:
			w.refuse(limitSpans, 1)
			svc.unjudged.Add(1)
		case refusedOther:
			w.unjudged(span)
		}
	})
}
