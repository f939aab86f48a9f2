// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

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
	// word means that a text has neither spaces nor tabs. prefix and suffix are how it begins and ends.
	word           bool
	prefix, suffix string
	// ahead is the length of the next word's prefix, with which the literal ends.
	ahead int
	// needsKnown means that the severity must be a known word: without a time, nothing else
	// shows that a line begins a record. Formats of no system always need it.
	needsKnown bool
}

// target is the part of an Entry that a text belongs to.
type target uint8

const (
	toAttributes target = iota
	toIDs
	toResource
	toURL
	toMethod
)

// newSteps compiles a layout. General means that no pack vouches for what matches.
func newSteps(parts layout.Layout, general bool) steps {
	hasTime := slices.ContainsFunc(parts, func(p layout.Part) bool { return p.Kind == layout.Time })
	all := make(steps, len(parts))
	for i, part := range parts {
		s := step{kind: part.Kind, key: part.Text, optional: part.Optional, word: part.Word, prefix: part.Prefix, suffix: part.Suffix, needsKnown: general || !hasTime}
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
			if at > i && !s.word && at+1 < len(parts) {
				s.literal.text += parts[at+1].Prefix
				s.ahead = len(parts[at+1].Prefix)
			}
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
	switch {
	case strings.HasPrefix(key, "tc."):
		return key, toAttributes
	case key == "url.path":
		return key, toURL
	case key == "http.request.method":
		return key, toMethod
	}
	for _, id := range []string{"trace_id", "span_id", "trace_flags"} {
		if key == id || strings.HasSuffix(key, "_"+id) {
			return key, toIDs
		}
	}
	return key, toAttributes
}

// begins returns the bytes that a line of the layout can begin with.
func (all steps) begins() (first [256]bool) {
	for i := 0; i < len(all); i++ {
		s := &all[i]
		switch s.kind {
		case layout.Literal:
			first[s.literal.text[0]] = true
		case layout.Optional:
			first[s.literal.text[0]] = true
			i += s.optional
			continue
		default:
			for c := range first {
				first[c] = first[c] || s.beginsWith(byte(c))
			}
		}
		break
	}
	return first
}

// beginsWith reports whether the text of a step that is no literal can begin with a byte.
func (s *step) beginsWith(c byte) bool {
	switch {
	case s.kind == layout.Time && s.time.begins() == 'b':
		return strings.IndexByte("JFMASOND", c) >= 0
	case s.kind == layout.Time, s.kind == layout.Severity && s.key == layout.Syslog:
		return c-'0' <= 9
	case s.kind == layout.Severity && s.key == layout.Upper:
		return c-'A' < 26
	case s.kind == layout.Severity:
		return (c|0x20)-'a' < 26
	case s.prefix != "":
		return c == s.prefix[0]
	case s.word:
		return c != ' ' && c != '\t'
	}
	return true
}

// match parses a line. If the entry is nil, it only reports whether the line matches.
func (all steps) match(line string, e *Entry) bool {
	pos := all.read(line, e)
	if pos < 0 || skipSpaces(line, pos) < len(line) {
		return false
	}
	if e != nil && e.Severity == 0 {
		e.Severity = ParseSeverity(e.SeverityText)
	}
	return true
}

// read parses the beginning of a line, and returns its end or -1.
func (all steps) read(line string, e *Entry) int {
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
		case layout.Rest:
			if e != nil {
				e.Body = line[pos:]
			}
		default:
			pos = s.readText(line, pos, e)
			i++ // the literal that ends the text
		}
		if pos < 0 {
			return -1
		}
	}
	return pos
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
	if s.key == layout.Syslog {
		return readPriority(line, pos, e)
	}
	end := letters(line, pos)
	if end == pos || s.key == layout.Upper && !isUpper(line[pos:end]) || s.key == layout.Level && !isLevel(line[pos:end]) {
		return -1
	}
	// slog writes a level between two words as INFO+2.
	if end < len(line) && (line[end] == '+' || line[end] == '-') {
		if _, after := integer(line, end+1); after >= 0 {
			end = after
		}
	}
	if s.needsKnown && ParseSeverity(line[pos:end]) == 0 {
		return -1
	}
	if e != nil {
		e.SeverityText = line[pos:end]
	}
	// Levels are padded.
	if s.literal.text != "" && s.literal.text[0] != ' ' {
		end = skipSpaces(line, end)
	}
	return end
}

// isLevel reports whether a word is a level that messages hardly begin with, as they do with config or success.
func isLevel(word string) bool {
	switch strings.ToLower(word) {
	case "trace", "debug", "info", "information", "notice", "warn", "warning", "err", "error", "crit", "critical", "fatal", "alert", "emerg":
		return true
	}
	return false
}

// isUpper reports whether a word is longer than a letter, and in upper case.
func isUpper(word string) bool {
	for i := range len(word) {
		if word[i] > 'Z' {
			return false
		}
	}
	return len(word) > 1
}

// readPriority reads syslog's number of facility and severity.
func readPriority(line string, pos int, e *Entry) int {
	n, end := integer(line, pos)
	if end < 0 || n < 0 || n > 191 {
		return -1
	}
	if e != nil {
		e.SeverityText, e.Severity = syslogSeverities[n%8].word, syslogSeverities[n%8].number
		e.Attributes = append(e.Attributes, Attribute{Key: "syslog.facility", Kind: KindInt, Int: n / 8})
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
	if s.word {
		return s.readWord(line, pos, e)
	}
	end, next := len(line), len(line)
	if s.literal.text != "" {
		end, next = s.literal.find(line, pos)
		next -= s.ahead
	}
	if end < 0 || end == pos && (s.literal.text != "" || s.kind != layout.Body) {
		return -1
	}
	if s.kind == layout.Body && s.key == layout.Quoted && !isQuoted(line[pos:end]) {
		return -1
	}
	if e != nil {
		s.put(line[pos:end], e)
	}
	return next
}

// readWord reads a text as readText does. It looks for the literal only in the word and where the word ends.
func (s *step) readWord(line string, pos int, e *Entry) int {
	end := pos
	for end < len(line) && line[end] != ' ' && line[end] != '\t' {
		end++
	}
	next := end
	switch c := s.literal; {
	case c.text == "":
	case c.text[0] == ' ' || c.text[0] == '\t':
		next = c.skip(line, end)
	default:
		var found int
		if found, next = c.find(line, pos); found > end {
			return -1
		}
		end = found
	}
	if next < 0 || end <= pos || !s.fits(line[pos:end]) {
		return -1
	}
	if e != nil {
		s.put(line[pos:end], e)
	}
	return next
}

func isQuoted(text string) bool { return strings.HasPrefix(text, `"`) && gjson.Valid(text) }

// fits reports whether a word begins and ends as the layout says.
func (s *step) fits(word string) bool {
	return len(word) >= len(s.prefix)+len(s.suffix) && strings.HasPrefix(word, s.prefix) && strings.HasSuffix(word, s.suffix)
}

// put adds a text to the entry. A dash alone stands for no value, except for ids, where it is
// what the writer says of the record's trace.
func (s *step) put(text string, e *Entry) {
	switch s.kind {
	case layout.Skip:
		return
	case layout.Body:
		switch s.key {
		case layout.Pairs:
			text = e.cutPairs(text)
		case layout.Source:
			text = e.cutSource(text)
		case layout.Quoted:
			text = gjson.Parse(text).String()
		}
		e.Body = text
		return
	}
	if s.to == toIDs {
		e.IDs = append(e.IDs, Field{s.key, text})
		return
	}
	if text[0] == ' ' || text[len(text)-1] == ' ' {
		text = strings.Trim(text, " ")
	}
	if text == "" || text == "-" {
		return
	}
	switch s.to {
	case toResource:
		e.Resource = append(e.Resource, Field{s.key, text})
	case toURL:
		e.putURL(text)
	case toMethod:
		e.putMethod(text)
	default:
		e.Attributes = append(e.Attributes, Attribute{Key: s.key, Text: text})
	}
}

// methods are the request methods that the semantic conventions know.
var methods = []string{"GET", "POST", "PUT", "HEAD", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE", "QUERY"}

func (e *Entry) putMethod(method string) {
	if slices.Contains(methods, method) {
		e.Attributes = append(e.Attributes, Attribute{Key: "http.request.method", Text: method})
		return
	}
	e.Attributes = append(e.Attributes, Attribute{Key: "http.request.method", Text: "_OTHER"},
		Attribute{Key: "http.request.method_original", Text: method})
}

// putURL puts the target of a request line: a path with or without a query. A proxy's requests have
// a whole URL.
func (e *Entry) putURL(target string) {
	if !strings.HasPrefix(target, "/") {
		e.Attributes = append(e.Attributes, Attribute{Key: "url.original", Text: target})
		return
	}
	path, query, _ := strings.Cut(target, "?")
	e.Attributes = append(e.Attributes, Attribute{Key: "url.path", Text: path})
	if query != "" {
		e.Attributes = append(e.Attributes, Attribute{Key: "url.query", Text: query})
	}
}
