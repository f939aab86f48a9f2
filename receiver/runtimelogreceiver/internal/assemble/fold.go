// SPDX-License-Identifier: Apache-2.0

package assemble

import (
	"bytes"
	"regexp"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
)

// line is the state of an incomplete line. Its segments are separated by carriage returns, or by movements
// of the cursor to the line above. A segment that begins a record is one. The others are states of progress.
// Each overwrites the one before, so only the last is kept.
type line struct {
	// prefix is that of the last segment. It is valid if a segment has begun.
	prefix []byte
	begun  bool
	// active means that a segment has ended.
	active bool
	// state is the last state of progress that is not blank.
	state        []byte
	statePrefix  []byte
	stateWritten time.Time
	// erased means that blanks have overwritten the state.
	erased bool
	// after means that the line has a record of the state's writer before the state. Its message contains
	// the carriage return.
	after bool
	// up means that the cursor was moved to the line above, which may have a state of progress too.
	up bool
}

func (l *line) reset() {
	*l = line{prefix: emptied(l.prefix), state: emptied(l.state), statePrefix: emptied(l.statePrefix)}
}

// cursorUp matches the movement of the cursor to lines above. Programs with several bars write it after each.
var cursorUp = regexp.MustCompile(`\x1b\[\d*A`)

// overwrites reports whether a line has a carriage return other than those at its end.
func overwrites(text []byte) bool {
	at := bytes.IndexByte(text, '\r')
	return at >= 0 && at < len(withoutReturns(text))
}

// withoutReturns removes the carriage returns at the end of a text.
func withoutReturns(text []byte) []byte { return bytes.TrimRight(text, "\r") }

// afterReturn returns the end of the first carriage return of a text, or of the text.
func afterReturn(text []byte) int {
	if at := bytes.IndexByte(text, '\r'); at >= 0 {
		return at + 1
	}
	return len(text)
}

// segments adds what stands before a carriage return, or after the last one of a line.
func (a *Assembler) segments(text []byte, emit func(Record)) {
	a.line.active = true
	if a.overlong {
		a.rest(text, emit)
		return
	}
	for {
		at := cursorUp.FindIndex(text)
		if at == nil {
			a.segment(text, emit)
			return
		}
		a.segment(text[:at[0]], emit)
		a.line.up = true
		text = text[at[1]:]
	}
}

func (a *Assembler) segment(text []byte, emit func(Record)) {
	l := &a.line
	w, text := a.writerOf(text, emit)
	if blank(text) {
		l.erased = l.erased || len(text) > 0
		return
	}
	format := a.Formats.Head(text, w.hint)
	if format == nil && !beginsTrace(text) {
		a.fold()
		l.after = l.after && bytes.Equal(l.prefix, l.statePrefix)
		l.state, l.statePrefix, l.stateWritten = append(l.state, text...), append(l.statePrefix[:0], l.prefix...), a.partialWritten
		return
	}
	if l.erased {
		a.fold()
	}
	a.endStates(emit)
	a.add(a.find(l.prefix, emit), text, format, emit)
	l.after, l.erased, l.statePrefix = true, false, append(l.statePrefix[:0], l.prefix...)
}

// fold drops the state.
func (a *Assembler) fold() {
	if len(a.line.state) > 0 {
		a.Folded++
		a.line.state = emptied(a.line.state)
	}
	a.line.erased = false
}

// endStates adds the last state: as a continuation of the record before it, or as a record of its own.
func (a *Assembler) endStates(emit func(Record)) {
	l := &a.line
	if len(l.state) == 0 {
		return
	}
	w := a.find(l.statePrefix, emit)
	text := []byte(logformat.WithoutColour(string(l.state)))
	l.state = emptied(l.state)
	if l.after && w.continues(text, nil) {
		a.add(w, text, nil, emit)
		return
	}
	if w.progress && l.up {
		a.Folded++
		a.drop(w)
	}
	a.complete(w, emit)
	a.begin(w, bytes.TrimSpace(text), nil, l.stateWritten, emit)
	w.progress, w.changed = true, a.changed
}

// blank reports whether nothing of a segment is visible.
func blank(text []byte) bool {
	if bytes.IndexByte(text, '\x1b') >= 0 {
		text = []byte(logformat.WithoutColour(string(text)))
	}
	return len(bytes.TrimSpace(text)) == 0
}
