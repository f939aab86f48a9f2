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
	// Held are the lines of a record without a prefix that may continue, and Partial an incomplete line.
	Held, Partial []byte
	// Progress means that Held is a state of progress.
	Progress bool `json:",omitempty"`
	// Headed means that lines of Held with its head are a stack trace, and LastHeaded that the last line is one.
	Headed, LastHeaded bool `json:",omitempty"`
	// Overlong means that the beginning of Partial's line was already emitted.
	Overlong                    bool
	HeldWritten, PartialWritten time.Time `json:",omitzero"`
	// Line is the state of a line with carriage returns.
	Line *HeldLine `json:",omitempty"`
	// Prefixed means that lines have had prefixes, and Records are those of them that may continue.
	Prefixed bool         `json:",omitempty"`
	Records  []HeldRecord `json:",omitempty"`
}

// HeldRecord is the stored record of a prefix.
type HeldRecord struct {
	Prefix, Text []byte
	Progress     bool      `json:",omitempty"`
	Written      time.Time `json:",omitzero"`
	// Headed means that lines with the record's head are a stack trace, and LastHeaded that the last line is one.
	Headed, LastHeaded bool `json:",omitempty"`
}

// HeldLine is the stored state of a line with carriage returns.
type HeldLine struct {
	Prefix        []byte    `json:",omitempty"`
	Active        bool      `json:",omitempty"`
	State         []byte    `json:",omitempty"`
	StatePrefix   []byte    `json:",omitempty"`
	StateWritten  time.Time `json:",omitzero"`
	Erased, After bool      `json:",omitempty"`
	Up            bool      `json:",omitempty"`
}

// Keep returns the state to store. It is not ok if there is nothing to store.
func (a *Assembler) Keep() (h Held, ok bool) {
	h = Held{Stream: a.Stream, Partial: bytes.Clone(a.partial), Overlong: a.overlong, PartialWritten: a.partialWritten, Prefixed: a.prefixed}
	if l := &a.line; l.begun {
		h.Line = &HeldLine{bytes.Clone(l.prefix), l.active, bytes.Clone(l.state), bytes.Clone(l.statePrefix), l.stateWritten, l.erased, l.after, l.up}
	}
	inOrder := slices.SortedStableFunc(slices.Values(a.all), func(v, w *writer) int { return cmp.Compare(v.number, w.number) })
	for _, w := range inOrder {
		switch {
		case len(w.held) == 0:
		case w.name == "":
			h.Held, h.Progress, h.HeldWritten = bytes.Clone(w.held), w.progress, w.written
			h.Headed, h.LastHeaded = w.trace.head != "", w.trace.lastHeaded
		default:
			h.Records = append(h.Records, HeldRecord{[]byte(w.name), bytes.Clone(w.held), w.progress, w.written, w.trace.head != "", w.trace.lastHeaded})
		}
	}
	return h, a.Waits() || a.overlong || a.prefixed
}

// Restore restores a stored state.
func (a *Assembler) Restore(h Held, now time.Time) {
	a.partial, a.overlong, a.changed, a.partialWritten, a.prefixed = bytes.Clone(h.Partial), h.Overlong, now, h.PartialWritten, h.Prefixed
	if l := h.Line; l != nil {
		a.line = line{bytes.Clone(l.Prefix), true, l.Active, bytes.Clone(l.State), bytes.Clone(l.StatePrefix), l.StateWritten, l.Erased, l.After, l.Up}
	}
	a.restore(HeldRecord{nil, h.Held, h.Progress, h.HeldWritten, h.Headed, h.LastHeaded})
	for _, record := range h.Records {
		a.restore(record)
	}
}

// restore restores a held record. Stored states are within the bounds, so that nothing is emitted.
func (a *Assembler) restore(record HeldRecord) {
	if len(record.Text) == 0 {
		return
	}
	w := a.find(record.Prefix, func(Record) {})
	w.held, w.progress, w.written, w.changed = bytes.Clone(record.Text), record.Progress, record.Written, a.changed
	a.size += len(w.held)
	if first, _, _ := bytes.Cut(w.held, []byte{'\n'}); len(first) > 0 && !w.progress {
		w.format = a.Formats.Head(first, w.hint)
	}
	w.trace.lastWritten, w.trace.lastHeaded = record.Written, record.LastHeaded
	if record.Headed && w.repeatsHead() {
		a.heldTrace(w)
	}
}
