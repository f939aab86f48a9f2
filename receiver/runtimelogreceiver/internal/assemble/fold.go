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
	// Begun means that a segment has begun. Prefix is then that of the last segment.
	Begun  bool   `json:",omitempty"`
	Prefix []byte `json:",omitempty"`
	// Active means that a segment has ended.
	Active bool `json:",omitempty"`
	// State is the last state of progress that is not blank.
	State        []byte    `json:",omitempty"`
	StatePrefix  []byte    `json:",omitempty"`
	StateWritten time.Time `json:",omitzero"`
	// Erased means that blanks have overwritten the state.
	Erased bool `json:",omitempty"`
	// After means that the line has a record of the state's writer before the state. Its message contains
	// the carriage return.
	After bool `json:",omitempty"`
	// Up means that the cursor was moved to the line above, which may have a state of progress too.
	Up bool `json:",omitempty"`
}

func (l *line) reset() {
	*l = line{Prefix: emptied(l.Prefix), State: emptied(l.State), StatePrefix: emptied(l.StatePrefix)}
}

func (l line) clone() line {
	l.Prefix, l.State, l.StatePrefix = bytes.Clone(l.Prefix), bytes.Clone(l.State), bytes.Clone(l.StatePrefix)
	return l
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
	a.line.Active = true
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
		a.line.Up = true
		text = text[at[1]:]
	}
}

func (a *Assembler) segment(text []byte, emit func(Record)) {
	l := &a.line
	w, text := a.writerOf(text, emit)
	if blank(text) {
		l.Erased = l.Erased || len(text) > 0
		return
	}
	format := a.Formats.Head(text, w.hint)
	if format == nil && !beginsTrace(text) {
		a.fold()
		l.After = l.After && bytes.Equal(l.Prefix, l.StatePrefix)
		l.State, l.StatePrefix, l.StateWritten = append(l.State, text...), append(l.StatePrefix[:0], l.Prefix...), a.partialWritten
		return
	}
	if l.Erased {
		a.fold()
	}
	a.endStates(emit)
	a.add(a.find(l.Prefix, emit), text, format, emit)
	l.After, l.Erased, l.StatePrefix = true, false, append(l.StatePrefix[:0], l.Prefix...)
}

// fold drops the state.
func (a *Assembler) fold() {
	if len(a.line.State) > 0 {
		a.Folded++
		a.line.State = emptied(a.line.State)
	}
	a.line.Erased = false
}

// endStates adds the last state: as a continuation of the record before it, or as a record of its own.
func (a *Assembler) endStates(emit func(Record)) {
	l := &a.line
	if len(l.State) == 0 {
		return
	}
	w := a.find(l.StatePrefix, emit)
	text := []byte(logformat.WithoutColour(string(l.State)))
	l.State = emptied(l.State)
	if l.After && a.continues(w, text, nil) {
		a.add(w, text, nil, emit)
		return
	}
	if w.progress && l.Up {
		a.Folded++
		a.drop(w)
	}
	a.complete(w, emit)
	a.begin(w, bytes.TrimSpace(text), nil, l.StateWritten, emit)
	w.progress, w.changed = true, a.changed
}

// blank reports whether nothing of a segment is visible.
func blank(text []byte) bool {
	if bytes.IndexByte(text, '\x1b') >= 0 {
		text = []byte(logformat.WithoutColour(string(text)))
	}
	return len(bytes.TrimSpace(text)) == 0
}
