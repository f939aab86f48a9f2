package spanlinkprocessor

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/linkrule"
)

// readKeys notes each key that a span has at a stage, which needs an attribute of this
// value.
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

// beginKey begins a key. Where the resource has all that scopes it, all of its spans' keys
// begin alike.
func (w *walk) beginKey(s *linkrule.Stage, span ptrace.Span) {
	begun := &w.resource.begun[s.Rule.Number]
	if begun.alike == possible {
		w.writer.BeginAs(begun.text)
		return
	}
	s.Rule.BeginKey(&w.writer, span.Attributes(), w.resource.attributes)
	if begun.alike == unasked {
		begun.alike = never
		if w.resource.scopes(s.Rule) {
			begun.alike, begun.text = possible, w.writer.AppendTo(begun.text[:0])
		}
	}
}

// readValues notes each element of an array, and any other value as one key.
func (w *walk) readValues(s *linkrule.Stage, span ptrace.Span, value pcommon.Value) {
	w.beginKey(s, span)
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
	w.beginKey(s, span)
	read := 0
	for _, event := range span.Events().All() {
		if value, ok := event.Attributes().Get(s.Key.EventAttribute); ok && read < maxKeys {
			read++
			w.readValue(s, span, value)
		}
	}
}

// readValue notes a key that has begun, and goes back to where it was.
func (w *walk) readValue(s *linkrule.Stage, span ptrace.Span, value pcommon.Value) {
	mark := w.writer.Mark()
	if w.writer.AddValue(value, &s.Key.Normalise) {
		text := ""
		if s.Rule.KeyValue {
			text = value.AsString()
		}
		w.note(s, span, text)
	}
	w.writer.Back(mark)
}

// readParts notes the key that several values make together.
func (w *walk) readParts(s *linkrule.Stage, span ptrace.Span) {
	begun := false
	text := ""
	for i := range s.Key.All {
		part := &s.Key.All[i]
		attributes, key := span.Attributes(), part.SpanAttribute
		if key == "" {
			attributes, key = w.resource.attributes, part.ResourceAttribute
		}
		value, ok := attributes.Get(key)
		if !ok {
			return
		}
		if !begun {
			begun = true
			w.beginKey(s, span)
		}
		if !w.writer.AddValue(value, &part.Normalise) {
			return
		}
		if s.Rule.KeyValue {
			text = strings.TrimPrefix(text+"+"+value.AsString(), "+")
		}
	}
	w.note(s, span, text)
}
