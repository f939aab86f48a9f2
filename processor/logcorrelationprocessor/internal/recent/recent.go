// SPDX-License-Identifier: Apache-2.0

// Package recent remembers which records came within a time.
package recent

import (
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// maxRecords is how many records each of two halves remembers. The older half is cleared as a
// whole.
const maxRecords = 1 << 17

// Records remembers records by their hashes. It is safe for concurrent use.
type Records struct {
	window time.Duration
	origin time.Time

	mu           sync.Mutex
	newer, older map[attrhash.Hash]time.Duration // when it came, since origin; guarded by mu
	turned       time.Duration                   // when newer was begun; guarded by mu
}

// New returns Records that remember each record for a time.
func New(window time.Duration) *Records {
	return &Records{
		window: window, origin: time.Now(),
		newer: map[attrhash.Hash]time.Duration{}, older: map[attrhash.Hash]time.Duration{},
	}
}

// Record is a record that may come again.
type Record struct {
	// Content is the hash of what all records of one event have in common.
	Content attrhash.Hash
	// Handler is the hash of the content with what distinguishes the handler that sent the record. Of
	// each handler, records with equal content are different events. If it is zero, they are not.
	Handler attrhash.Hash
	// Came is set by Claim if a record of the same event came before.
	Came bool
}

// maxEqual is how many events with equal content are compared. Records of more are not duplicates.
const maxEqual = 16

// Claim remembers records and sets Came. It returns what to forget if the records come again.
func (r *Records) Claim(records []Record) (claimed []attrhash.Hash) {
	claimed = make([]attrhash.Hash, 0, len(records))
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Since(r.origin)
	claim := func(hash attrhash.Hash) bool {
		if r.came(r.newer, hash, now) || r.came(r.older, hash, now) {
			return false
		}
		if len(r.newer) == maxRecords || now-r.turned > r.window {
			r.newer, r.older, r.turned = r.older, r.newer, now
			clear(r.newer)
		}
		r.newer[hash] = now
		claimed = append(claimed, hash)
		return true
	}
	for i := range records {
		record := &records[i]
		event := record.Content
		if record.Handler != (attrhash.Hash{}) {
			// The nth record of a handler is of the nth event.
			n := uint64(0)
			for n < maxEqual && !claim(record.Handler.Number(n)) {
				n++
			}
			if n == maxEqual {
				continue
			}
			event = event.Number(n)
		}
		record.Came = !claim(event)
	}
	return claimed
}

func (r *Records) came(half map[attrhash.Hash]time.Duration, record attrhash.Hash, now time.Duration) bool {
	at, ok := half[record]
	return ok && now-at <= r.window
}

// Forget lets records come again.
func (r *Records) Forget(records []attrhash.Hash) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, record := range records {
		delete(r.newer, record)
		delete(r.older, record)
	}
}
