// SPDX-License-Identifier: Apache-2.0

package assemble

import (
	"bytes"
	"slices"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
)

// maxWriters bounds the writers of a stream. A new one takes the place of the one that has been silent
// for longest. If more than these write in turn, each line becomes a record.
const maxWriters = 256

// keptHeld bounds the capacity of a buffer that a writer reuses, in bytes: a stream has many writers.
const keptHeld = 4 << 10

// writers are the writers of a stream.
type writers struct {
	all []*writer
	// size is the size of all held records, in bytes.
	size int
	// prefixed means that lines of the stream have had prefixes of packs.
	prefixed bool
}

// writer writes to the stream, with a prefix or without one.
type writer struct {
	name string // the prefix, or empty
	// hint is the format of its last line that had one. Mostly the next line has the same. For a prefix it
	// is one of a pack.
	hint *logformat.Format
	// held are the lines of a record that may continue, and format its format.
	held    []byte
	format  *logformat.Format
	written time.Time // when the container runtime received the first line
	number  int64     // of the first piece
	// progress means that the record is a state of progress.
	progress bool
	trace    traced
	changed  time.Time
}

// cutPrefix splits a line, or the beginning of one, into a prefix that lines of the stream have had and the
// rest.
func (a *Assembler) cutPrefix(text []byte) (prefix, rest []byte) {
	if !a.prefixed {
		return nil, text
	}
	prefix, rest, _ = a.Formats.CutPrefix(text)
	return prefix, rest
}

// writerOf returns the writer of a segment, and the segment without its prefix. The segments of a line have
// one prefix, unless a later one has its own.
func (a *Assembler) writerOf(text []byte, emit func(Record)) (*writer, []byte) {
	prefix, rest, system := a.Formats.CutPrefix(text)
	if len(prefix) > 0 && !a.prefixed {
		a.prefixed = a.Formats.Head(rest, a.Formats.HintOf(system)) != nil || beginsTrace(rest)
	}
	switch {
	case len(prefix) > 0 && a.prefixed:
		a.line.Prefix = append(a.line.Prefix[:0], prefix...)
		text = rest
	case !a.line.Begun:
		a.line.Prefix = a.line.Prefix[:0]
	}
	a.line.Begun = true
	return a.find(a.line.Prefix, emit), text
}

// known returns the writer with a prefix, or nil.
func (w *writers) known(prefix []byte) *writer {
	for _, one := range w.all {
		if one.name == string(prefix) {
			return one
		}
	}
	return nil
}

// find returns the writer with a prefix.
func (a *Assembler) find(prefix []byte, emit func(Record)) *writer {
	if w := a.known(prefix); w != nil {
		return w
	}
	if len(a.all) == maxWriters {
		silent := slices.MinFunc(a.all, func(v, w *writer) int { return v.changed.Compare(w.changed) })
		a.complete(silent, emit)
		a.all = slices.DeleteFunc(a.all, func(w *writer) bool { return w == silent })
	}
	w := &writer{name: string(prefix), changed: a.changed}
	if w.name != "" {
		_, _, system := a.Formats.CutPrefix(prefix)
		w.hint = a.Formats.HintOf(system)
	}
	a.all = append(a.all, w)
	return w
}

// knows remembers the format of a line.
func (w *writer) knows(format *logformat.Format) {
	if w.name == "" || format.System != "" {
		w.hint = format
	}
}

// continues reports whether a line belongs to the held record. Format is the one in which the line would
// begin a record.
func (a *Assembler) continues(w *writer, line []byte, format *logformat.Format) bool {
	switch {
	case len(w.held) == 0 || w.progress:
		return false
	case w.format != nil && w.format.IsSecond(line) && bytes.IndexByte(w.held, '\n') < 0:
		return true
	case format != nil:
		return false
	case w.format != nil:
		return a.joins(w, line)
	}
	return continuesTrace(w.held, line)
}

// begin holds the first line of a record.
func (a *Assembler) begin(w *writer, text []byte, format *logformat.Format, written time.Time, emit func(Record)) {
	a.makeRoom(w, len(text), emit)
	w.format, w.written, w.number = format, written, a.Number
	w.held = append(w.held, text...)
	a.size += len(text)
	if format != nil && format.RepeatsHead && mentionsTrace(text) {
		if body, _ := cutHead(text, a.headOf(w)); beginsTrace(body) {
			a.heldTrace(w)
		}
	}
}

// hold appends a line to the held record.
func (a *Assembler) hold(w *writer, text []byte) {
	w.held = append(append(w.held, '\n'), text...)
	a.size += 1 + len(text)
	w.trace.lastWritten, w.trace.lastNumber = a.partialWritten, a.Number
}

// makeRoom completes records of other writers, the silent ones first, until a writer can hold more bytes.
func (a *Assembler) makeRoom(w *writer, more int, emit func(Record)) {
	for a.size+more > a.MaxSize && a.size > len(w.held) {
		var silent *writer
		for _, other := range a.all {
			if other != w && len(other.held) > 0 && (silent == nil || other.changed.Before(silent.changed)) {
				silent = other
			}
		}
		a.complete(silent, emit)
	}
}

// complete emits the held record of a writer.
func (a *Assembler) complete(w *writer, emit func(Record)) {
	if len(w.held) == 0 {
		return
	}
	a.emit(Record{Text: bytes.TrimRight(w.held, "\n"), Format: w.format, Written: w.written, Number: w.number}, w, emit)
	a.drop(w)
}

// drop empties the held record of a writer.
func (a *Assembler) drop(w *writer) {
	a.size -= len(w.held)
	w.held, w.format, w.progress, w.trace = w.held[:0], nil, false, traced{}
	if w.name != "" && cap(w.held) > keptHeld || cap(w.held) > keptCapacity {
		w.held = nil
	}
}

// completeAll emits the held records of the writers for which due is true, in the order of their first lines.
func (a *Assembler) completeAll(due func(*writer) bool, emit func(Record)) {
	for {
		var first *writer
		for _, w := range a.all {
			if len(w.held) > 0 && (first == nil || w.number < first.number) && due(w) {
				first = w
			}
		}
		if first == nil {
			return
		}
		a.complete(first, emit)
	}
}
