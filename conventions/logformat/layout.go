package logformat

import (
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// layout is a conventions.Layout made ready to match.
type layout []step

// step is one part of a layout.
type step struct {
	kind conventions.LayoutKind
	key  string
	to   target
	// literal is a literal's text, and what tells where a text ends or that an
	// optional part is there. Without text, a text ends with the line.
	literal  literal
	time     timeFormat
	optional int
	// known tells that a severity must be one: nothing else makes a line a record's.
	known bool
}

// target is where a text goes.
type target uint8

const (
	toAttributes target = iota
	toIDs
	toResource
)

func newLayout(parts conventions.Layout) layout {
	timed := slices.ContainsFunc(parts, func(p conventions.LayoutPart) bool { return p.Kind == conventions.LayoutTime })
	steps := make(layout, len(parts))
	for i, part := range parts {
		s := step{kind: part.Kind, key: part.Text, optional: part.Optional, known: !timed}
		at := i + 1 // of the literal that follows
		switch part.Kind {
		case conventions.LayoutLiteral:
			at = i
		case conventions.LayoutTime:
			s.time = newTimeFormat(part.Text)
		case conventions.LayoutText:
			s.key, s.to = targetOf(part.Text)
		}
		if at < len(parts) && parts[at].Kind == conventions.LayoutLiteral {
			s.literal.text = parts[at].Text
			s.literal.last = endsInBody(parts[at+1:])
		}
		steps[i] = s
	}
	return steps
}

// endsInBody tells whether the body is all that has to follow.
func endsInBody(parts conventions.Layout) bool {
	for len(parts) > 0 && parts[0].Kind == conventions.LayoutOptional {
		parts = parts[1+parts[0].Optional:]
	}
	return len(parts) == 1 && parts[0].Kind == conventions.LayoutBody
}

// targetOf tells where a key's text goes, and by which key.
func targetOf(key string) (string, target) {
	if name, ok := strings.CutPrefix(key, "resource."); ok {
		return name, toResource
	}
	if strings.HasPrefix(key, "tc.") {
		return key, toAttributes
	}
	for _, id := range []string{"trace_id", "span_id", "trace_flags"} {
		if key == id || strings.HasSuffix(key, "_"+id) {
			return key, toIDs
		}
	}
	return key, toAttributes
}

// match takes a line apart. Without an entry it only tells whether it can.
func (l layout) match(line string, e *Entry) bool {
	pos := 0
	for i := 0; i < len(l); i++ {
		s := &l[i]
		switch s.kind {
		case conventions.LayoutLiteral:
			pos = s.literal.skip(line, pos)
		case conventions.LayoutOptional:
			if s.literal.skip(line, pos) < 0 {
				i += s.optional
			}
		case conventions.LayoutTime:
			pos = s.readTime(line, pos, e)
		case conventions.LayoutSeverity:
			pos = s.readSeverity(line, pos, e)
		case conventions.LayoutInt:
			pos = s.readInt(line, pos, e)
		default:
			pos = s.readText(line, pos, e)
			i++ // the literal that ends the text
		}
		if pos < 0 {
			return false
		}
	}
	if skipSpaces(line, pos) < len(line) {
		return false
	}
	if e != nil {
		e.Severity = ParseSeverity(e.SeverityText)
	}
	return true
}

func (s *step) readTime(line string, pos int, e *Entry) int {
	var t Timestamp
	pos = s.time.read(line, pos, &t)
	if e != nil {
		e.Time = t
	}
	return pos
}

func (s *step) readSeverity(line string, pos int, e *Entry) int {
	end := letters(line, pos)
	if end == pos || s.known && ParseSeverity(line[pos:end]) == 0 {
		return -1
	}
	if e != nil {
		e.SeverityText = line[pos:end]
	}
	return end
}

func (s *step) readInt(line string, pos int, e *Entry) int {
	n, end := integer(line, pos)
	if e != nil && end >= 0 {
		e.Attributes = append(e.Attributes, Attribute{Key: s.key, Kind: KindInt, Int: n})
	}
	return end
}

// readText reads up to the literal that follows and over it, or to the end of the
// line. Only a body there can be empty.
func (s *step) readText(line string, pos int, e *Entry) int {
	end, next := len(line), len(line)
	if s.literal.text != "" {
		end, next = s.literal.find(line, pos)
	}
	if end < 0 || end == pos && (s.literal.text != "" || s.kind != conventions.LayoutBody) {
		return -1
	}
	if e != nil {
		s.put(line[pos:end], e)
	}
	return next
}

func (s *step) put(text string, e *Entry) {
	switch {
	case s.kind == conventions.LayoutSkip:
	case s.kind == conventions.LayoutBody:
		e.Body = text
	case s.to == toIDs:
		e.IDs = append(e.IDs, Field{s.key, text})
	case s.to == toResource:
		e.Resource = append(e.Resource, Field{s.key, text})
	default:
		e.Attributes = append(e.Attributes, Attribute{Key: s.key, Text: text})
	}
}
