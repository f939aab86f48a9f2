// SPDX-License-Identifier: Apache-2.0

package assemble

import (
	"bytes"
	"cmp"
	"slices"
	"time"
)

// Held is the stored state of an Assembler.
type Held struct {
	Stream string `json:",omitempty"`
	// Partial is an incomplete line. Overlong means that its beginning was already emitted.
	Partial        []byte    `json:",omitempty"`
	PartialWritten time.Time `json:",omitzero"`
	Overlong       bool      `json:",omitempty"`
	// Line is the state of a line with carriage returns.
	Line line `json:",omitzero"`
	// Prefixed means that lines have had prefixes.
	Prefixed bool `json:",omitempty"`
	// Records are those that may continue.
	Records []HeldRecord `json:",omitempty"`
}

// HeldRecord is the stored record of a writer.
type HeldRecord struct {
	Prefix []byte `json:",omitempty"`
	Text   []byte
	// Progress means that the text is a state of progress.
	Progress bool      `json:",omitempty"`
	Written  time.Time `json:",omitzero"`
	// Headed means that lines with the record's head are a stack trace, and LastHeaded that the last line is one.
	Headed, LastHeaded bool `json:",omitempty"`
}

// Keep returns the state to store. It is not ok if there is nothing to store.
func (a *Assembler) Keep() (h Held, ok bool) {
	h = Held{Stream: a.Stream, Partial: bytes.Clone(a.partial), PartialWritten: a.partialWritten, Overlong: a.overlong, Prefixed: a.prefixed}
	if a.line.Begun {
		h.Line = a.line.clone()
	}
	inOrder := slices.SortedStableFunc(slices.Values(a.all), func(v, w *writer) int { return cmp.Compare(v.number, w.number) })
	for _, w := range inOrder {
		if len(w.held) > 0 {
			h.Records = append(h.Records, HeldRecord{[]byte(w.name), bytes.Clone(w.held), w.progress, w.written, w.trace.head != "", w.trace.lastHeaded})
		}
	}
	return h, a.Waits() || a.overlong || a.prefixed
}

// Restore restores a stored state.
func (a *Assembler) Restore(h Held, now time.Time) {
	a.partial, a.partialWritten, a.overlong, a.prefixed, a.changed = bytes.Clone(h.Partial), h.PartialWritten, h.Overlong, h.Prefixed, now
	a.line = h.Line.clone()
	for _, record := range h.Records {
		a.restore(record)
	}
}

// restore restores a held record. Stored states are within the bounds, so that nothing is emitted.
func (a *Assembler) restore(record HeldRecord) {
	w := a.find(record.Prefix, func(Record) {})
	w.held, w.progress, w.written, w.changed = bytes.Clone(record.Text), record.Progress, record.Written, a.changed
	a.size += len(w.held)
	if first := firstLine(w.held); len(first) > 0 && !w.progress {
		w.format = a.Formats.Head(first, w.hint)
	}
	w.trace.lastWritten, w.trace.lastHeaded = record.Written, record.LastHeaded
	if record.Headed && w.repeatsHead() {
		a.heldTrace(w)
	}
}
