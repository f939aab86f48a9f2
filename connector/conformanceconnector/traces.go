// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/coherence"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/verdict"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
)

// linkRuleKey is an attribute of the links that span_link derives.
const linkRuleKey = "tc.link.rule"

// judgeTraces checks the names and keys of spans, and adds the spans to the traces that wait.
func (s *state) judgeTraces(ctx context.Context, td ptrace.Traces) {
	w := s.begin(ctx)
	defer s.end(w)
	for _, rs := range td.ResourceSpans().All() {
		for i, ss := range rs.ScopeSpans().All() {
			w.enter(rs.Resource().Attributes(), ss.Scope(), i == 0)
			if ss.Spans().Len() > 0 {
				w.scope.Service.Traced(report.KindSpan)
			}
			for _, span := range ss.Spans().All() {
				w.span(span)
			}
			w.leave()
		}
	}
	w.endTrace()
}

func (w *walk) span(span ptrace.Span) {
	attrs, trace := span.Attributes(), span.TraceID()
	v := w.spanName(span)
	w.name.items++
	if v.Row != nil {
		v.Row.Exemplify(trace)
	} else if original, ok := attrs.Get(naming.OriginalNameKey); ok {
		w.renamed(original, trace, func(original string) naming.Decision {
			return w.verdicts.Namer.Span(w.scope.Context, attributes.SpanFacts(span, naming.AsksOf(original)), original)
		})
	}
	w.judgeKeys(attrs, v.System)
	for _, event := range span.Events().All() {
		w.judgeKeys(event.Attributes(), v.System)
	}
	for _, link := range span.Links().All() {
		if rule := attributes.Text(link.Attributes(), linkRuleKey); rule != "" {
			w.results.Link(rule)
		}
		w.judgeKeys(link.Attributes(), v.System)
	}
	if trace != w.trace {
		w.endTrace()
		w.trace = trace
	}
	w.spans = append(w.spans, coherence.Span{
		ID: span.SpanID(), Parent: span.ParentSpanID(), Kind: coherence.Kind(span.Kind()), Of: &v.Operation,
		Start: nanoseconds(span.StartTimestamp()), End: nanoseconds(span.EndTimestamp()),
	})
}

// endTrace adds the last spans of one trace to those that wait.
func (w *walk) endTrace() {
	w.traces.Add(w.trace, w.spans, w.now)
	w.spans = w.spans[:0]
}

// nanoseconds returns a timestamp as an int64, so that a difference cannot overflow.
func nanoseconds(t pcommon.Timestamp) int64 { return int64(min(t, math.MaxInt64)) }

// spanName returns the decision about a span's name. Most decisions ask for nothing, so the attributes are
// read only when one is new or asks for them.
func (w *walk) spanName(span ptrace.Span) *verdict.Name {
	name, last := span.Name(), w.name.verdict
	if w.name.is(report.KindSpan, w.scope, name) && last.Facts == attributes.SpanFacts(span, last.Asks) {
		return last
	}
	v := w.verdicts.KnownSpan(w.scope, naming.Facts{}, name)
	if v == nil || v.Asks != (naming.Asks{}) {
		v = w.verdicts.Span(w.scope, attributes.SpanFacts(span, naming.AsksOf(name)), name)
	}
	w.begin(v)
	return v
}
