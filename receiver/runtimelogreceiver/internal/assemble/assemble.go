// Package assemble assembles the lines of a log to records. Add takes the pieces of a file and
// emits complete records; Flush and Release emit what is held, and Keep and Restore store it
// across a restart.
package assemble

import (
	"bytes"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
)

// partialTimeout is how long an incomplete line waits for its end. Loggers that write full
// blocks stop inside a line until the next block is full.
const partialTimeout = time.Minute

// Assembler assembles pieces of a log to records.
type Assembler struct {
	Formats *logformat.Formats
	MaxSize int // of a record, in bytes
	// Stream is the stream of a container, or empty.
	Stream string
	// Written is when the container runtime received the current piece. The two times below are
	// those of the first piece of held and of partial.
	Written                     time.Time
	heldWritten, partialWritten time.Time

	// hint is the format of the last line that had one. Mostly the next line has the same.
	hint *logformat.Format
	// held are the lines of a record that may continue, and format its format.
	held   []byte
	format *logformat.Format
	// partial is an incomplete line. If overlong is set, its beginning was already emitted as a
	// record because of its length.
	partial  []byte
	overlong bool
	changed  time.Time
}

// Record is one log record of one or more lines.
type Record struct {
	Text    []byte            // valid until the next call of the assembler
	Format  *logformat.Format // nil if no format matches the first line
	Stream  string            // of a container, or empty
	Written time.Time         // when the container runtime received it, or zero
}

// Add adds the next piece of the file, and calls emit for each complete record.
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

// peek completes the held record if the incomplete line already begins the next record.
func (a *Assembler) peek(emit func(Record)) {
	if len(a.held) == 0 || a.overlong {
		return
	}
	if format := a.Formats.Head(a.partial, a.hint); format != nil && format.Joins && !a.continues(a.partial, format) {
		a.complete(emit)
	}
}

// line adds a complete line.
func (a *Assembler) line(line []byte, written time.Time, emit func(Record)) {
	format := a.Formats.Head(line, a.hint)
	if a.continues(line, format) && len(a.held)+1+len(line) <= a.MaxSize {
		a.held = append(append(a.held, '\n'), line...)
		return
	}
	a.complete(emit)
	switch {
	case format != nil && format.Joins, format == nil && beginsTrace(line):
		a.held, a.format, a.heldWritten = append(a.held, line...), format, written
	case len(line) > 0:
		emit(Record{line, format, a.Stream, written})
	}
	if format != nil {
		a.hint = format
	}
}

// continues reports whether a line belongs to the held record. Format is the one in which the line would
// begin a record.
func (a *Assembler) continues(line []byte, format *logformat.Format) bool {
	switch {
	case len(a.held) == 0:
		return false
	case a.format != nil && a.format.IsSecond(line) && bytes.IndexByte(a.held, '\n') < 0:
		return true
	case format != nil:
		return false
	}
	return a.format != nil || continuesTrace(a.held, line)
}

// cut emits the incomplete line as a record when it reaches the maximum size.
func (a *Assembler) cut(emit func(Record)) {
	var format *logformat.Format
	if !a.overlong {
		a.complete(emit)
		format = a.Formats.Head(a.partial, a.hint)
	}
	emit(Record{a.partial, format, a.Stream, a.partialWritten})
	a.partial, a.overlong = emptied(a.partial), true
}

// complete emits the held record.
func (a *Assembler) complete(emit func(Record)) {
	if len(a.held) == 0 {
		return
	}
	emit(Record{bytes.TrimRight(a.held, "\n"), a.format, a.Stream, a.heldWritten})
	a.held, a.format = emptied(a.held), nil
}

// Release emits everything that is held, complete or not.
func (a *Assembler) Release(emit func(Record)) {
	if len(a.partial) > 0 {
		a.Add([]byte{'\n'}, a.changed, emit)
	}
	a.complete(emit)
}

// Due reports whether the held record or line has waited long enough.
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

// Flush emits everything that is held. The rest of an incomplete line then becomes a record
// without a format.
func (a *Assembler) Flush(emit func(Record)) {
	cut := len(a.partial) > 0
	a.Release(emit)
	a.overlong = a.overlong || cut
}

// Waits reports whether the assembler holds anything.
func (a *Assembler) Waits() bool { return len(a.held) > 0 || len(a.partial) > 0 }

// Size returns the number of held bytes.
func (a *Assembler) Size() int { return len(a.held) + len(a.partial) }

// Wait extends the time for which held lines wait.
func (a *Assembler) Wait(d time.Duration) { a.changed = a.changed.Add(d) }

// Held is the stored state of an Assembler.
type Held struct {
	Stream string `json:",omitempty"`
	// Held are the lines of a record that may continue, and Partial an incomplete line.
	Held, Partial []byte
	// Overlong means that the beginning of Partial's line was already emitted.
	Overlong                    bool
	HeldWritten, PartialWritten time.Time `json:",omitzero"`
}

// Keep returns the state to store. It is not ok if there is nothing to store.
func (a *Assembler) Keep() (h Held, ok bool) {
	h = Held{a.Stream, bytes.Clone(a.held), bytes.Clone(a.partial), a.overlong, a.heldWritten, a.partialWritten}
	return h, a.Waits() || a.overlong
}

// Restore restores a stored state.
func (a *Assembler) Restore(h Held, now time.Time) {
	a.held, a.partial, a.overlong, a.changed = bytes.Clone(h.Held), bytes.Clone(h.Partial), h.Overlong, now
	a.heldWritten, a.partialWritten = h.HeldWritten, h.PartialWritten
	if first, _, _ := bytes.Cut(a.held, []byte{'\n'}); len(first) > 0 {
		a.format = a.Formats.Head(first, nil)
	}
}

// keptCapacity bounds the capacity of a buffer that is reused, in bytes.
const keptCapacity = 64 << 10

// emptied returns an empty slice that reuses the buffer. The old content stays valid until the
// buffer is filled again.
func emptied(buffer []byte) []byte {
	if cap(buffer) > keptCapacity {
		return nil
	}
	return buffer[:0]
}
