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
	v := w.name(span.Name(), attrs)
	w.item(kindSpan, v.row == nil)
	if v.row != nil {
		w.found(v.row, trace)
	}
	v.expected.came(w.now)
	for key, value := range attrs.All() {
		w.key(key, v.system)
		if key == naming.OriginalNameKey {
			w.wasRenamed(kindSpan, v.system, value, span.Name(), trace)
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
	w.keep(span, v)
}

// name decides a span's name. Its rpc.service matters for few names only.
func (w *walk) name(name string, attrs pcommon.Map) *spanVerdict {
	recent := &w.spans[recentSlot(name)%recentSpans]
	if v := *recent; v != nil && v.scope == w.scope && v.name == name &&
		(v.anyRPCService || v.rpcService == text(attrs, rpcServiceKey)) {
		return v
	}
	rpcService := ""
	if !naming.ConformantSpan(name) {
		rpcService = text(attrs, rpcServiceKey)
	}
	v := w.spanVerdict(w.scope, rpcService, name)
	if len(name)+len(rpcService) <= maxCachedName {
		*recent = v
	}
	return v
}

// wasRenamed notes a name that something before made conformant.
func (w *walk) wasRenamed(k kind, system *naming.System, original pcommon.Value, name string, trace pcommon.TraceID) {
	if original.Type() != pcommon.ValueTypeStr {
		return
	}
	w.scope.service.renamed.Add(1)
	w.found(w.renamed(w.scope.service, k, system, original.Str(), name), trace)
}

// keep has a span wait for the rest of its trace.
func (w *walk) keep(span ptrace.Span, v *spanVerdict) {
	switch w.window.add(span.TraceID(), newWaiting(span, v), w.now) {
	case keptLate:
		v.scope.service.late.Add(1)
	case keptNotTraces:
		w.refuse(limitTraces, 1)
		v.scope.service.unjudged.Add(1)
	case keptNotSpans:
		w.refuse(limitSpans, 1)
		v.scope.service.unjudged.Add(1)
	}
}
