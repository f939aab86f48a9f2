// SPDX-License-Identifier: Apache-2.0

// Package progress stores how far files were delivered.
package progress

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"unicode/utf8"

	"github.com/otelcol-tc/otelcol-tc/internal/statefile"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/assemble"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/tail"
)

// Entry is how far a file has been delivered, and what is held of it. It is stored after
// each delivery, so that a kill repeats at most one delivery of each file.
type Entry struct {
	ID uint64 // of the entry
	tail.Checkpoint
	// RawPath is the path if it is not valid UTF-8, which JSON strings must be.
	RawPath []byte `json:",omitempty"`
	// Line is the incomplete line of a container runtime, and Streams what the streams hold:
	// both are read but not delivered.
	Line    []byte          `json:",omitempty"`
	Streams []assemble.Held `json:",omitempty"`
	// Pack is the name of the last format of a pack, which describes the file's resource.
	Pack string `json:",omitempty"`
}

// slots is the number of files that share the entries, so that storing one entry does not write all.
const slots = 16

// Store stores the entries of all files. It is safe for concurrent use.
type Store struct {
	Directory *statefile.Directory
	slots     [slots]slot
}

type slot struct {
	mu      sync.Mutex
	entries map[uint64]Entry // guarded by mu
}

func slotName(i int) string { return fmt.Sprint("files.", i) }

// Load returns the entries of the last run that can be decoded.
func (s *Store) Load() ([]Entry, error) {
	var all []Entry
	var errs error
	for i := range s.slots {
		entries := map[uint64]Entry{}
		value, err := s.Directory.Read(slotName(i))
		if value != nil {
			err = json.Unmarshal(value, &entries)
		}
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("%s: %w", slotName(i), err))
			clear(entries)
		}
		s.slots[i].entries = entries
		for _, entry := range entries {
			if entry.RawPath != nil {
				entry.Path = string(entry.RawPath)
			}
			all = append(all, entry)
		}
	}
	return all, errs
}

// Save stores an entry, and replaces an entry with the same id.
func (s *Store) Save(entry Entry) error {
	entry.RawPath = nil
	if !utf8.ValidString(entry.Path) {
		entry.RawPath = []byte(entry.Path)
	}
	return s.change(entry.ID, func(entries map[uint64]Entry) { entries[entry.ID] = entry })
}

// Drop removes an entry.
func (s *Store) Drop(id uint64) error {
	return s.change(id, func(entries map[uint64]Entry) { delete(entries, id) })
}

func (s *Store) change(id uint64, apply func(map[uint64]Entry)) error {
	i := int(id % slots)
	slot := &s.slots[i]
	slot.mu.Lock()
	defer slot.mu.Unlock()
	if slot.entries == nil {
		slot.entries = map[uint64]Entry{}
	}
	apply(slot.entries)
	value, err := json.Marshal(slot.entries)
	if err != nil {
		return err
	}
	return s.Directory.Write(slotName(i), value)
}
