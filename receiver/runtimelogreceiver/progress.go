package runtimelogreceiver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// progress is how far a file has been delivered. The file consumer stores its offsets
// at the end of a poll only, and a poll reads as much as there is; this is stored with
// each delivery, so that after a kill at most one delivery a file is repeated.
//
// An entry says of which file it is by content: files are renamed, and others take
// their names.
type progress struct {
	ID   uint64 // of the entry
	Path string // where the file was last
	// Moved tells that another file has the path.
	Moved bool
	// Start is where reading began after the consumer's last checkpoint.
	Start int64
	// End is where what was read ends.
	End int64
	// First and Last are the pieces after Start and before End.
	First, Last span
	// Held are the lines of a record that may go on, and Partial the beginning of a
	// line: read, but not delivered.
	Held, Partial []byte
	// Overlong tells that Partial is not where its line begins.
	Overlong bool
}

// span is a part of a file, known by its hash.
type span struct {
	From, To int64
	Hash     uint64
}

func newSpan(from int64, text []byte) span {
	return span{from, from + int64(len(text)), xxh3.Hash(text)}
}

// began notes where reading goes on after a checkpoint.
func (p *progress) began(offset int64, piece []byte) {
	p.Start, p.First = offset, newSpan(offset, piece)
}

// reached notes that all up to the end of a piece has been read.
func (p *progress) reached(offset int64, piece []byte) {
	p.Last = newSpan(offset, piece)
	p.End = p.Last.To
}

// slots is how many keys the entries are spread over, so that storing one does not
// mean to store all.
const slots = 64

// progressStore keeps the entries of all files in a storage. It is safe for
// concurrent use.
type progressStore struct {
	client storage.Client
	slots  [slots]slot
}

type slot struct {
	mu      sync.Mutex
	entries map[uint64]progress // guarded by mu
}

func slotKey(i int) string { return fmt.Sprint("progress.", i) }

// load returns the entries of the last run, as far as they can be read.
func (s *progressStore) load(ctx context.Context) ([]progress, error) {
	operations := make([]*storage.Operation, slots)
	for i := range operations {
		operations[i] = storage.GetOperation(slotKey(i))
	}
	if err := s.client.Batch(ctx, operations...); err != nil {
		return nil, err
	}
	var all []progress
	var errs error
	for i, operation := range operations {
		entries := map[uint64]progress{}
		if operation.Value != nil {
			if err := json.Unmarshal(operation.Value, &entries); err != nil {
				errs = errors.Join(errs, fmt.Errorf("%s: %w", operation.Key, err))
				clear(entries)
			}
		}
		s.slots[i].entries = entries
		for _, entry := range entries {
			all = append(all, entry)
		}
	}
	return all, errs
}

// save stores an entry in place of the last one of its id.
func (s *progressStore) save(ctx context.Context, entry progress) error {
	return s.change(ctx, entry.ID, func(entries map[uint64]progress) { entries[entry.ID] = entry })
}

// drop forgets an entry.
func (s *progressStore) drop(ctx context.Context, id uint64) error {
	return s.change(ctx, id, func(entries map[uint64]progress) { delete(entries, id) })
}

func (s *progressStore) change(ctx context.Context, id uint64, apply func(map[uint64]progress)) error {
	i := int(id % slots)
	slot := &s.slots[i]
	slot.mu.Lock()
	defer slot.mu.Unlock()
	if slot.entries == nil {
		slot.entries = map[uint64]progress{}
	}
	apply(slot.entries)
	value, err := json.Marshal(slot.entries)
	if err != nil {
		return err
	}
	return s.client.Set(ctx, slotKey(i), value)
}
