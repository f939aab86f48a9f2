package logformat

import (
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/layout"
)

// steps are a layout.Layout that is compiled for matching.
type steps []step

// step is one part of a layout.
type step struct {
	kind layout.Kind
	key  string
	to   target
	// literal is the text of a literal. For another step, it is the literal that ends the
	// step's text, or that shows that an optional part is present. If it is empty, a text ends
	// with the line.
	literal  literal
	time     timeFormat
	optional int
	// needsKnown means that the severity must be a known word: without a time, nothing else
	// shows that a line begins a record.
	needsKnown bool
}

// target is the part of an Entry that a text belongs to.
type target uint8

const (
	toAttributes target = iota
	toIDs
	toResource
)

func newSteps(parts layout.Layout) steps {
	hasTime := slices.ContainsFunc(parts, func(p layout.Part) bool { return p.Kind == layout.Time })
	all := make(steps, len(parts))
	for i, part := range parts {
		s := step{kind: part.Kind, key: part.Text, optional: part.Optional, needsKnown: !hasTime}
		at := i + 1 // of the literal that follows
		switch part.Kind {
		case layout.Literal:
			at = i
		case layout.Time:
			s.time = newTimeFormat(part.Text)
		case layout.Text:
			s.key, s.to = targetOf(part.Text)
		}
		if at < len(parts) && parts[at].Kind == layout.Literal {
			s.literal.text = parts[at].Text
			s.literal.last = endsInBody(parts[at+1:])
		}
		all[i] = s
	}
	return all
}

// endsInBody reports whether only the body has to follow.
func endsInBody(parts layout.Layout) bool {
	for len(parts) > 0 && parts[0].Kind == layout.Optional {
		parts = parts[1+parts[0].Optional:]
	}
	return len(parts) == 1 && parts[0].Kind == layout.Body
}

// targetOf returns the key and the part of an Entry that a text belongs to.
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

// match parses a line. If the entry is nil, it only reports whether the line matches.
func (all steps) match(line string, e *Entry) bool {
	pos := 0
	for i := 0; i < len(all); i++ {
		s := &all[i]
		switch s.kind {
		case layout.Literal:
			pos = s.literal.skip(line, pos)
		case layout.Optional:
			if s.literal.skip(line, pos) < 0 {
				i += s.optional
			}
		case layout.Time:
			pos = s.readTime(line, pos, e)
		case layout.Severity:
			pos = s.readSeverity(line, pos, e)
		case layout.Int:
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
	if end == pos || s.needsKnown && ParseSeverity(line[pos:end]) == 0 {
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

// readText reads up to the literal that follows and past it, or to the end of the line. Only a
// body at the end of the line can be empty.
func (s *step) readText(line string, pos int, e *Entry) int {
	end, next := len(line), len(line)
	if s.literal.text != "" {
		end, next = s.literal.find(line, pos)
	}
	if end < 0 || end == pos && (s.literal.text != "" || s.kind != layout.Body) {
		return -1
	}
	if e != nil {
		s.put(line[pos:end], e)
	}
	return next
}

func (s *step) put(text string, e *Entry) {
	switch {
	case s.kind == layout.Skip:
	case s.kind == layout.Body:
		e.Body = text
	case s.to == toIDs:
		e.IDs = append(e.IDs, Field{s.key, text})
	case s.to == toResource:
		e.Resource = append(e.Resource, Field{s.key, text})
	default:
		e.Attributes = append(e.Attributes, Attribute{Key: s.key, Text: text})
	}
}
