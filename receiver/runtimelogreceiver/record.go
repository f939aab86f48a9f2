package runtimelogreceiver

import (
	"bytes"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
)

// partialTimeout is how long the beginning of a line waits for the rest. Loggers that
// write by the block stop in the middle of a line until the next block is full.
const partialTimeout = time.Minute

// assembler makes records of the pieces of a file.
type assembler struct {
	formats *logformat.Formats
	maxSize int // of a record

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

	// stream is which of a container's streams it is, empty for a file that is none's.
	stream string
	// written is when the container runtime got the piece that is added. It is kept of the
	// first piece of what is held, and of the partial line.
	written, heldWritten, partialWritten time.Time
}

// record is an entry of a log: one line or several. Its format is nil when nothing is
// known of its first line.
type record struct {
	text    []byte // valid until the assembler is used again
	format  *logformat.Format
	stream  string    // of a container
	written time.Time // by a container, zero if that is not known
}

// add takes the next piece of the file, and gives each record that is complete to emit.
func (a *assembler) add(piece []byte, now time.Time, emit func(record)) {
	a.changed = now
	text, complete := cutNewline(piece)
	written := a.written
	if len(a.partial) > 0 || !complete {
		if len(a.partial) > 0 && len(a.partial)+len(text) > a.maxSize {
			a.cut(emit)
		}
		if len(a.partial) == 0 {
			a.partialWritten = a.written
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
		emit(record{text, nil, a.stream, written})
	}
}

// peek ends the record that is held when the next one has visibly begun.
func (a *assembler) peek(emit func(record)) {
	if len(a.held) == 0 || a.overlong {
		return
	}
	if format := a.formats.Head(a.partial, a.hint); format != nil && format.Joins {
		a.complete(emit)
	}
}

// line takes a complete line.
func (a *assembler) line(line []byte, written time.Time, emit func(record)) {
	format := a.formats.Head(line, a.hint)
	if format == nil && len(a.held) > 0 && len(a.held)+1+len(line) <= a.maxSize {
		a.held = append(append(a.held, '\n'), line...)
		return
	}
	a.complete(emit)
	switch {
	case format != nil && format.Joins:
		a.held, a.format, a.heldWritten = append(a.held, line...), format, written
	case len(line) > 0:
		emit(record{line, format, a.stream, written})
	}
	if format != nil {
		a.hint = format
	}
}

// cut makes a record of the part of a line that is as long as a record may be.
func (a *assembler) cut(emit func(record)) {
	var format *logformat.Format
	if !a.overlong {
		a.complete(emit)
		format = a.formats.Head(a.partial, a.hint)
	}
	emit(record{a.partial, format, a.stream, a.partialWritten})
	a.partial, a.overlong = emptied(a.partial), true
}

// complete ends the record that is held.
func (a *assembler) complete(emit func(record)) {
	if len(a.held) == 0 {
		return
	}
	emit(record{bytes.TrimRight(a.held, "\n"), a.format, a.stream, a.heldWritten})
	a.held, a.format = emptied(a.held), nil
}

// release ends all that is held, complete or not.
func (a *assembler) release(emit func(record)) {
	if len(a.partial) > 0 {
		a.add([]byte{'\n'}, a.changed, emit)
	}
	a.complete(emit)
}

// due tells whether what is held has waited long enough.
func (a *assembler) due(now time.Time, flushTimeout time.Duration) bool {
	switch {
	case len(a.partial) > 0:
		return now.Sub(a.changed) >= max(partialTimeout, flushTimeout)
	case len(a.held) > 0:
		return now.Sub(a.changed) >= flushTimeout
	default:
		return false
	}
}

// held is what waits in an assembler, as it is stored.
type held struct {
	Stream string `json:",omitempty"`
	// Held are the lines of a record that may go on, and Partial the beginning of a line.
	Held, Partial []byte
	// Overlong tells that Partial is not where its line begins.
	Overlong                    bool
	HeldWritten, PartialWritten time.Time `json:",omitzero"`
}

// waits reports whether the assembler holds anything.
func (a *assembler) waits() bool { return len(a.held) > 0 || len(a.partial) > 0 }

// keep returns what is held, to be stored.
func (a *assembler) keep() held {
	return held{a.stream, bytes.Clone(a.held), bytes.Clone(a.partial), a.overlong, a.heldWritten, a.partialWritten}
}

// hold puts back what was held when it was stored.
func (a *assembler) hold(h held, now time.Time) {
	a.held, a.partial, a.overlong, a.changed = bytes.Clone(h.Held), bytes.Clone(h.Partial), h.Overlong, now
	a.heldWritten, a.partialWritten = h.HeldWritten, h.PartialWritten
	if first, _, _ := bytes.Cut(a.held, []byte{'\n'}); len(first) > 0 {
		a.format = a.formats.Head(first, nil)
	}
}

// keptCapacity is how large a buffer may be that is kept for the next record.
const keptCapacity = 64 << 10

// emptied is a buffer without its content. The content stays valid until the buffer is
// filled again.
func emptied(buffer []byte) []byte {
	if cap(buffer) > keptCapacity {
		return nil
	}
	return buffer[:0]
}
