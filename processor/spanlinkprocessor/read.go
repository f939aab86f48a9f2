// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/linkrule"
)

// read reads the keys of a span for each stage that it belongs to. Most spans have no key, and
// consecutive stages often need the same attribute, so that is looked up first and once. A span
// without ids has no key, because no link can lead to it.
func (w *walk) read(span ptrace.Span) {
	needs := ""
	var value pcommon.Value
	has := true
	for _, s := range w.l.names.Fits(span.Name(), kindOf(span)) {
		if s.Needs != needs {
			needs, has = s.Needs, true
			if needs != "" {
				value, has = span.Attributes().Get(needs)
			}
		}
		switch {
		case !has || span.TraceID().IsEmpty() || span.SpanID().IsEmpty() || !w.fits(s, span):
		case s.Threads:
			w.noteThread(s, span)
		default:
			w.readKeys(s, span, value)
		}
	}
}

// fits reports whether a span has the scope, the service and the attributes of a stage. Attributes of the
// resource go before those of the span.
func (w *walk) fits(s *linkrule.Stage, span ptrace.Span) bool {
	if len(s.Scope) > 0 && !s.Scope.Match(w.scope) {
		return false
	}
	if s.Service != nil && !s.Service.Match(attributes.Text(w.resource, "service.name")) {
		return false
	}
	for key, glob := range s.Attributes {
		value, ok := w.resource.Get(key)
		if !ok {
			value, ok = span.Attributes().Get(key)
		}
		if !ok || !glob.Match(value.AsString()) {
			return false
		}
	}
	return true
}

// readKeys reads the keys of a span for a stage. The value is that of the attribute that the stage
// needs.
func (w *walk) readKeys(s *linkrule.Stage, span ptrace.Span, needed pcommon.Value) {
	s.Rule.BeginKey(&w.writer, span.Attributes(), w.resource)
	key := s.Key
	switch {
	case key.SpanAttribute != "":
		w.readValues(s, span, needed)
	case key.ResourceAttribute != "":
		if value, ok := w.resource.Get(key.ResourceAttribute); ok {
			w.readValues(s, span, value)
		}
	case key.EventAttribute != "":
		read := 0
		for _, event := range span.Events().All() {
			if value, ok := event.Attributes().Get(key.EventAttribute); ok && read < maxKeys {
				read++
				w.readValue(s, span, value)
			}
		}
	default:
		w.readParts(s, span)
	}
}

// readValues reads each element of a slice, or any other value, as one key.
func (w *walk) readValues(s *linkrule.Stage, span ptrace.Span, value pcommon.Value) {
	if value.Type() != pcommon.ValueTypeSlice {
		w.readValue(s, span, value)
		return
	}
	for i, element := range value.Slice().All() {
		if i == maxKeys {
			return
		}
		w.readValue(s, span, element)
	}
}

// readValue completes the begun key with a value, and removes the value from the key.
func (w *walk) readValue(s *linkrule.Stage, span ptrace.Span, value pcommon.Value) {
	begun := w.writer.Len()
	if w.writer.AddValue(value, &s.Key.Normalise) {
		text := ""
		if s.Rule.KeyValue {
			text = value.AsString()
		}
		w.noteKey(s, span, text)
	}
	w.writer.Truncate(begun)
}

// readParts reads the key that several values make together.
func (w *walk) readParts(s *linkrule.Stage, span ptrace.Span) {
	text := ""
	for i := range s.Key.All {
		part := &s.Key.All[i]
		from, key := span.Attributes(), part.SpanAttribute
		if key == "" {
			from, key = w.resource, part.ResourceAttribute
		}
		value, ok := from.Get(key)
		if !ok || !w.writer.AddValue(value, &part.Normalise) {
			return
		}
		if s.Rule.KeyValue {
			text = strings.TrimPrefix(text+"+"+value.AsString(), "+")
		}
	}
	w.noteKey(s, span, text)
}

// noteKey adds the key that the writer has. A rule about single processes also needs to know whether the traces of its
// scope are split.
func (w *walk) noteKey(s *linkrule.Stage, span ptrace.Span, text string) {
	e := w.note(s, span, text)
	if e == nil || !s.Rule.SameProcess || e.split != (correlation.Key{}) {
		return
	}
	e.process = s.Rule.ProcessOf(&w.processes, span.Attributes(), w.resource)
	s.Rule.BeginSplit(&w.processes, span.Attributes(), w.resource)
	e.split = w.processes.Key()
	if s.Rule.StatesSplit(span.Attributes()) {
		w.splits[split{e.split, correlation.SplitTraces}] = struct{}{}
	}
}

// noteThread adds what a span states of a thread of its trace.
func (w *walk) noteThread(s *linkrule.Stage, span ptrace.Span) {
	process := s.Rule.ProcessOf(&w.processes, span.Attributes(), w.resource)
	if process == "" {
		return
	}
	key := w.processes.KeyOfThreads(span.TraceID())
	member := correlation.ThreadMember(span.TraceID(), process, span.StartTimestamp())
	w.threads = append(w.threads, correlation.Request{Key: key, Op: correlation.Join, Limit: correlation.ThreadsLimit, Member: member})
}
