// SPDX-License-Identifier: Apache-2.0

// Package assemble assembles the lines of a log to records. Add takes the pieces of a file and
// emits complete records; Flush and Release emit what is held, and Keep and Restore store it
// across a restart.
//
// A line belongs to a writer: the process that its prefix names. Each writer has one record that may
// continue (writer.go). A line with carriage returns consists of segments. Later segments overwrite
// earlier ones (fold.go).
package assemble

import (
	"bytes"
	"slices"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
)

// partialTimeout is how long an incomplete line waits for its end. Loggers that write full
// blocks stop inside a line until the next block is full.
const partialTimeout = time.Minute

// Assembler assembles pieces of a log to records.
type Assembler struct {
	Formats *logformat.Formats
	MaxSize int // of a record, and of all held records together, in bytes
	// Stream is the stream of a container, or empty.
	Stream string
	// Written is when the container runtime received the current piece, and Number the number of the piece
	// in the file.
	Written time.Time
	Number  int64
	// Folded is the number of progress states that were overwritten. The caller sets it back.
	Folded int64

	writers
	// partial is the incomplete segment of a line. If overlong is set, its beginning was already emitted as
	// a record because of its length.
	partial        []byte
	partialWritten time.Time // when the container runtime received its first piece
	overlong       bool
	line           line
	changed        time.Time
	entry          logformat.Entry // for reuse
}

// Record is one log record of one or more lines.
type Record struct {
	Text    []byte            // without prefixes; valid until the next call of the assembler
	Format  *logformat.Format // nil if no format matches the first line
	Stream  string            // of a container, or empty
	Written time.Time         // when the container runtime received it, or zero
	// Prefix is the prefix of its lines, or empty, and Pack the last format of a pack that lines with this
	// prefix had.
	Prefix string
	Pack   *logformat.Format
	// Number is that of the piece in which it begins.
	Number int64
}

// Add adds the next piece of the file, and calls emit for each complete record. Bytes of zero, which stand where
// nothing was written, are dropped.
func (a *Assembler) Add(piece []byte, now time.Time, emit func(Record)) {
	zeros := bytes.IndexByte(piece, 0) >= 0
	if zeros {
		piece = bytes.ReplaceAll(piece, []byte{0}, nil)
	}
	text, complete := bytes.CutSuffix(piece, []byte{'\n'})
	// A carriage return of an incomplete line may begin a state.
	if zeros && !a.midLine() && (len(text) == 0 || complete && len(withoutReturns(text)) == 0) {
		return
	}
	a.changed = now
	if !complete || len(a.partial) > 0 || overwrites(text) {
		a.extend(text, emit)
		if !complete {
			a.peek(emit)
			return
		}
		text = a.partial
		a.partial = emptied(a.partial)
	} else {
		a.partialWritten = a.Written
	}
	a.end(withoutReturns(text), emit)
}

// extend appends a text to the incomplete line, and adds the segments that it completes.
func (a *Assembler) extend(text []byte, emit func(Record)) {
	for len(text) > 0 {
		if bytes.HasSuffix(a.partial, []byte{'\r'}) {
			// Several carriage returns are as one, and any number of them must not fill the line.
			if text[0] == '\r' {
				text = bytes.TrimLeft(text, "\r")
				continue
			}
			// At the end of a line, a carriage return is a part of the newline.
			a.segments(withoutReturns(a.partial), emit)
			a.partial = emptied(a.partial)
		}
		end := afterReturn(text)
		if len(a.partial) > 0 && len(a.partial)+end > a.MaxSize {
			a.cut(emit)
		}
		if len(a.partial) == 0 {
			a.partialWritten = a.Written
		}
		a.partial = append(a.partial, text[:end]...)
		text = text[end:]
	}
}

// end adds the last segment of a line.
func (a *Assembler) end(text []byte, emit func(Record)) {
	switch {
	case a.line.Active:
		a.segments(text, emit)
		a.endStates(emit)
	case a.overlong:
		a.rest(text, emit)
	default:
		w, text := a.writerOf(text, emit)
		a.add(w, text, a.Formats.Head(text, w.hint), emit)
	}
	a.line.reset()
}

// rest emits the rest of a segment whose beginning was already emitted.
func (a *Assembler) rest(text []byte, emit func(Record)) {
	a.overlong = false
	if len(text) > 0 {
		a.emit(Record{Text: text, Written: a.partialWritten, Number: a.Number}, a.find(a.line.Prefix, emit), emit)
	}
}

func (a *Assembler) emit(rec Record, w *writer, emit func(Record)) {
	rec.Stream, rec.Prefix = a.Stream, w.name
	if w.name != "" {
		rec.Pack = w.hint
	}
	emit(rec)
}

// peek completes the held record if the incomplete line already begins the next record.
func (a *Assembler) peek(emit func(Record)) {
	if a.line.Active || a.overlong {
		return
	}
	prefix, text := a.cutPrefix(a.partial)
	w := a.known(prefix)
	if w == nil || len(w.held) == 0 {
		return
	}
	format := a.Formats.Head(text, w.hint)
	if format == nil || !format.Joins || a.continues(w, text, format) || a.startsLike(w, text) {
		return
	}
	// It must begin the next record with more text too: [x.py:12] may be a part of [x.py:12]s.
	if a.Formats.Head(append(text, '0'), w.hint) == format {
		a.complete(w, emit)
	}
}

// add adds a line, or a segment of one, without its prefix. Format is the one in which it begins a record.
func (a *Assembler) add(w *writer, text []byte, format *logformat.Format, emit func(Record)) {
	w.changed = a.changed
	if more, headed, ok := a.continuation(w, text, format, emit); ok && len(w.held)+1+len(more) <= a.MaxSize {
		a.makeRoom(w, 1+len(more), emit)
		a.hold(w, more)
		if w.trace.lastHeaded = headed; headed {
			a.heldTrace(w)
		}
		return
	}
	a.complete(w, emit)
	if format != nil {
		w.knows(format)
	}
	switch {
	case format != nil && format.Joins, format == nil && (beginsCrash(text) || throws(text)):
		a.begin(w, text, format, a.partialWritten, emit)
	case len(text) > 0:
		a.emit(Record{Text: text, Format: format, Written: a.partialWritten, Number: a.Number}, w, emit)
	}
}

// continuation returns what a line adds to the held record, if it belongs to it. Headed means that the line had the
// record's head.
func (a *Assembler) continuation(w *writer, text []byte, format *logformat.Format, emit func(Record)) (more []byte, headed, ok bool) {
	if format == nil {
		a.splitThrown(w, text, emit)
	}
	if a.continues(w, text, format) {
		return text, false, true
	}
	if more, ok = a.headedPart(w, text); !ok && a.splitMessage(w, text, emit) {
		more, ok = a.headedPart(w, text)
	}
	return more, true, ok
}

// cut emits the incomplete segment as a record when it reaches the maximum size.
func (a *Assembler) cut(emit func(Record)) {
	a.endStates(emit)
	w := a.find(a.line.Prefix, emit)
	text, format := a.partial, (*logformat.Format)(nil)
	if !a.overlong {
		w, text = a.writerOf(text, emit)
		a.complete(w, emit)
		format = a.Formats.Head(text, w.hint)
	}
	a.emit(Record{Text: text, Format: format, Written: a.partialWritten, Number: a.Number}, w, emit)
	a.partial, a.overlong = emptied(a.partial), true
}

// Release emits everything that is held, complete or not.
func (a *Assembler) Release(emit func(Record)) {
	if a.midLine() {
		text := a.partial
		a.partial = emptied(a.partial)
		a.end(withoutReturns(text), emit)
	}
	a.completeAll(func(*writer) bool { return true }, emit)
}

// midLine reports whether a part of an incomplete line is held.
func (a *Assembler) midLine() bool { return len(a.partial) > 0 || a.line.Active }

// Due reports whether a held record or line has waited long enough.
func (a *Assembler) Due(now time.Time, flushTimeout time.Duration) bool {
	return a.lineDue(now, flushTimeout) || slices.ContainsFunc(a.all, func(w *writer) bool { return a.due(w, now, flushTimeout) })
}

func (a *Assembler) lineDue(now time.Time, flushTimeout time.Duration) bool {
	return a.midLine() && now.Sub(a.changed) >= max(partialTimeout, flushTimeout)
}

// due reports whether the record of a writer has waited long enough. One that the incomplete line may
// continue waits for it.
func (a *Assembler) due(w *writer, now time.Time, flushTimeout time.Duration) bool {
	return len(w.held) > 0 && now.Sub(w.changed) >= flushTimeout && !a.mayContinue(w)
}

// mayContinue reports whether the incomplete line may continue the record of a writer.
func (a *Assembler) mayContinue(w *writer) bool {
	if len(a.partial) == 0 || a.line.Active || a.overlong {
		return false
	}
	prefix, _ := a.cutPrefix(a.partial)
	return string(prefix) == w.name || len(prefix) == 0 && bytes.HasPrefix([]byte(w.name), a.partial)
}

// Flush emits what has waited long enough. If that is an incomplete line, its rest becomes a record without a
// format.
func (a *Assembler) Flush(now time.Time, flushTimeout time.Duration, emit func(Record)) {
	if a.lineDue(now, flushTimeout) {
		prefix := a.line.Prefix
		if !a.line.Begun {
			prefix, _ = a.cutPrefix(a.partial)
		}
		prefix = bytes.Clone(prefix)
		a.Release(emit)
		a.overlong, a.line.Begun, a.line.Prefix = true, true, prefix
		return
	}
	a.completeAll(func(w *writer) bool { return a.due(w, now, flushTimeout) }, emit)
}

// Waits reports whether the assembler holds anything.
func (a *Assembler) Waits() bool { return a.size > 0 || a.midLine() }

// Size returns the number of held bytes.
func (a *Assembler) Size() int { return a.size + len(a.partial) + len(a.line.State) }

// Wait extends the time for which held lines wait.
func (a *Assembler) Wait(d time.Duration) {
	a.changed = a.changed.Add(d)
	for _, w := range a.all {
		w.changed = w.changed.Add(d)
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
