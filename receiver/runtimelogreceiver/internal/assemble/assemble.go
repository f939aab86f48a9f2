// Package assemble makes records of the lines of a log.
package assemble

import (
	"bytes"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
)

// partialTimeout is how long the beginning of a line waits for the rest. Loggers that
// write by the block stop in the middle of a line until the next block is full.
const partialTimeout = time.Minute

// Assembler makes records of the pieces of a log.
type Assembler struct {
	Formats *logformat.Formats
	MaxSize int // of a record
	// Stream is which of a container's streams it is, empty for a file that is none's.
	Stream string
	// Written is when the container runtime got the piece that is added. It is kept of the
	// first piece of what is held, and of the partial line.
	Written                     time.Time
	heldWritten, partialWritten time.Time

	// hint is the format of the last line that had one: mostly the next one's too.
	hint *logformat.Format
	// held are the lines of a record that may go on, and its format.
	held   []byte
	format *logformat.Format
	// partial is the beginning of a line. It is overlong when it is not really the
	// beginning, since that became a record for its length.
	partial  []byte
	overlong bool
	changed  time.Time
}

// Record is an entry of a log: one line or several.
type Record struct {
	Text    []byte            // valid until the assembler is used again
	Format  *logformat.Format // nil: no format knows its first line
	Stream  string            // of a container
	Written time.Time         // by a container, zero if that is not known
}

// Add takes the next piece of the file, and gives each record that is complete to emit.
func (a *Assembler) Add(piece []byte, now time.Time, emit func(Record)) {
	a.changed = now
	text, complete := bytes.CutSuffix(piece, []byte{'\n'})
	if complete {
		text = bytes.TrimSuffix(text, []byte{'\r'})
	}
	written := a.Written
	if len(a.partial) > 0 || !complete {
		if len(a.partial) > 0 && len(a.partial)+len(text) > a.MaxSize {
			a.cut(emit)
		}
		if len(a.partial) == 0 {
			a.partialWritten = a.Written
		}
		written = a.partialWritten
		a.partial = append(a.partial, text...)
		if !complete {
			a.peek(emit)
			return
		}
		text = bytes.TrimSuffix(a.partial, []byte{'\r'})
		a.partial = emptied(a.partial)
	}
	if !a.overlong {
		a.line(text, written, emit)
		return
	}
	a.overlong = false
	if len(text) > 0 {
		emit(Record{text, nil, a.Stream, written})
	}
}

// peek ends the record that is held when the next one has visibly begun.
func (a *Assembler) peek(emit func(Record)) {
	if len(a.held) == 0 || a.overlong {
		return
	}
	if format := a.Formats.Head(a.partial, a.hint); format != nil && format.Joins {
		a.complete(emit)
	}
}

// line takes a complete line.
func (a *Assembler) line(line []byte, written time.Time, emit func(Record)) {
	format := a.Formats.Head(line, a.hint)
	if format == nil && len(a.held) > 0 && len(a.held)+1+len(line) <= a.MaxSize {
		a.held = append(append(a.held, '\n'), line...)
		return
	}
	a.complete(emit)
	switch {
	case format != nil && format.Joins:
		a.held, a.format, a.heldWritten = append(a.held, line...), format, written
	case len(line) > 0:
		emit(Record{line, format, a.Stream, written})
	}
	if format != nil {
		a.hint = format
	}
}

// cut makes a record of the part of a line that is as long as a record may be.
func (a *Assembler) cut(emit func(Record)) {
	var format *logformat.Format
	if !a.overlong {
		a.complete(emit)
		format = a.Formats.Head(a.partial, a.hint)
	}
	emit(Record{a.partial, format, a.Stream, a.partialWritten})
	a.partial, a.overlong = emptied(a.partial), true
}

// complete ends the record that is held.
func (a *Assembler) complete(emit func(Record)) {
	if len(a.held) == 0 {
		return
	}
	emit(Record{bytes.TrimRight(a.held, "\n"), a.format, a.Stream, a.heldWritten})
	a.held, a.format = emptied(a.held), nil
}

// Release ends all that is held, complete or not.
func (a *Assembler) Release(emit func(Record)) {
	if len(a.partial) > 0 {
		a.Add([]byte{'\n'}, a.changed, emit)
	}
	a.complete(emit)
}

// Due reports whether what is held has waited long enough.
func (a *Assembler) Due(now time.Time, flushTimeout time.Duration) bool {
	switch {
	case len(a.partial) > 0:
		return now.Sub(a.changed) >= max(partialTimeout, flushTimeout)
	case len(a.held) > 0:
		return now.Sub(a.changed) >= flushTimeout
	default:
		return false
	}
}

// Flush ends all that is held. The rest of a line that it cuts is not the beginning of
// another.
func (a *Assembler) Flush(emit func(Record)) {
	cut := len(a.partial) > 0
	a.Release(emit)
	a.overlong = a.overlong || cut
}

// Waits reports whether the assembler holds anything.
func (a *Assembler) Waits() bool { return len(a.held) > 0 || len(a.partial) > 0 }

// Size returns how many bytes are held.
func (a *Assembler) Size() int { return len(a.held) + len(a.partial) }

// Wait has what is held wait longer.
func (a *Assembler) Wait(d time.Duration) { a.changed = a.changed.Add(d) }

// Held is what waits in an assembler, as it is stored.
type Held struct {
	Stream string `json:",omitempty"`
	// Held are the lines of a record that may go on, and Partial the beginning of a line.
	Held, Partial []byte
	// Overlong: Partial is not where its line begins.
	Overlong                    bool
	HeldWritten, PartialWritten time.Time `json:",omitzero"`
}

// Keep returns what is to be stored, if there is anything.
func (a *Assembler) Keep() (h Held, ok bool) {
	h = Held{a.Stream, bytes.Clone(a.held), bytes.Clone(a.partial), a.overlong, a.heldWritten, a.partialWritten}
	return h, a.Waits() || a.overlong
}

// Restore puts back what was held when it was stored.
func (a *Assembler) Restore(h Held, now time.Time) {
	a.held, a.partial, a.overlong, a.changed = bytes.Clone(h.Held), bytes.Clone(h.Partial), h.Overlong, now
	a.heldWritten, a.partialWritten = h.HeldWritten, h.PartialWritten
	if first, _, _ := bytes.Cut(a.held, []byte{'\n'}); len(first) > 0 {
		a.format = a.Formats.Head(first, nil)
	}
}

// keptCapacity is how large a buffer may be that is kept for the next record.
const keptCapacity = 64 << 10

// emptied returns a buffer without its content. The content stays valid until the buffer is
// filled again.
func emptied(buffer []byte) []byte {
	if cap(buffer) > keptCapacity {
		return nil
	}
	return buffer[:0]
}
