// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/linkrule"
)

// readKeys reads the keys of a span for a stage. The value is that of the attribute that the stage
// needs.
func (w *walk) readKeys(s *linkrule.Stage, span ptrace.Span, needed pcommon.Value) {
	key := s.Key
	switch {
	case key.SpanAttribute != "":
		w.readValues(s, span, needed)
	case key.ResourceAttribute != "":
		if value, ok := w.resource.attributes.Get(key.ResourceAttribute); ok {
			w.readValues(s, span, value)
		}
	case key.EventAttribute != "":
		w.readEvents(s, span)
	default:
		w.readParts(s, span)
	}
}

// readValues reads each element of a slice, or any other value, as one key.
func (w *walk) readValues(s *linkrule.Stage, span ptrace.Span, value pcommon.Value) {
	s.Rule.BeginKey(&w.writer, span.Attributes(), w.resource.attributes)
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

func (w *walk) readEvents(s *linkrule.Stage, span ptrace.Span) {
	s.Rule.BeginKey(&w.writer, span.Attributes(), w.resource.attributes)
	read := 0
	for _, event := range span.Events().All() {
		if value, ok := event.Attributes().Get(s.Key.EventAttribute); ok && read < maxKeys {
			read++
			w.readValue(s, span, value)
		}
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

// noteKey adds the key that the writer has or, for a rule about single processes, one for each
// identity of the span's process.
func (w *walk) noteKey(s *linkrule.Stage, span ptrace.Span, text string) {
	if !s.Rule.SameProcess {
		w.note(s, span, text)
		return
	}
	begun := w.writer.Len()
	if w.writer.AddInstance(w.resource.attributes) {
		w.note(s, span, text)
	}
	w.writer.Truncate(begun)
	if w.writer.AddProcess(span.Attributes(), w.resource.attributes) {
		w.note(s, span, text)
	}
	w.writer.Truncate(begun)
}

// readParts reads the key that several values make together.
func (w *walk) readParts(s *linkrule.Stage, span ptrace.Span) {
	s.Rule.BeginKey(&w.writer, span.Attributes(), w.resource.attributes)
	text := ""
	for i := range s.Key.All {
		part := &s.Key.All[i]
		attributes, key := span.Attributes(), part.SpanAttribute
		if key == "" {
			attributes, key = w.resource.attributes, part.ResourceAttribute
		}
		value, ok := attributes.Get(key)
		if !ok || !w.writer.AddValue(value, &part.Normalise) {
			return
		}
		if s.Rule.KeyValue {
			text = strings.TrimPrefix(text+"+"+value.AsString(), "+")
		}
	}
	w.noteKey(s, span, text)
}
