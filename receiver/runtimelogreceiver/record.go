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
}

// record is an entry of a log: one line or several. Its format is nil when nothing is
// known of its first line.
type record struct {
	text   []byte // valid until the assembler is used again
	format *logformat.Format
}

// add takes the next piece of the file, and gives each record that is complete to emit.
func (a *assembler) add(piece []byte, now time.Time, emit func(record)) {
	a.changed = now
	text, complete := cutNewline(piece)
	if len(a.partial) > 0 || !complete {
		if len(a.partial) > 0 && len(a.partial)+len(text) > a.maxSize {
			a.cut(emit)
		}
		a.partial = append(a.partial, text...)
		if !complete {
			a.peek(emit)
			return
		}
		text = bytes.TrimSuffix(a.partial, []byte{'\r'})
		a.partial = emptied(a.partial)
	}
	if !a.overlong {
		a.line(text, emit)
		return
	}
	a.overlong = false
	if len(text) > 0 {
		emit(record{text: text})
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
func (a *assembler) line(line []byte, emit func(record)) {
	format := a.formats.Head(line, a.hint)
	if format == nil && len(a.held) > 0 && len(a.held)+1+len(line) <= a.maxSize {
		a.held = append(append(a.held, '\n'), line...)
		return
	}
	a.complete(emit)
	switch {
	case format != nil && format.Joins:
		a.held, a.format = append(a.held, line...), format
	case len(line) > 0:
		emit(record{line, format})
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
	emit(record{a.partial, format})
	a.partial, a.overlong = emptied(a.partial), true
}

// complete ends the record that is held.
func (a *assembler) complete(emit func(record)) {
	if len(a.held) == 0 {
		return
	}
	emit(record{bytes.TrimRight(a.held, "\n"), a.format})
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

// hold puts back what was held when it was stored.
func (a *assembler) hold(held, partial []byte, overlong bool, now time.Time) {
	a.held, a.partial, a.overlong, a.changed = held, partial, overlong, now
	if first, _, _ := bytes.Cut(held, []byte{'\n'}); len(first) > 0 {
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
