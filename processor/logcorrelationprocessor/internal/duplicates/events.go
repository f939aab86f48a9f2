// SPDX-License-Identifier: Apache-2.0

// Package duplicates recognises the records of an event that several handlers have sent.
package duplicates

import (
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// maxEntries is how many entries each of two halves has. The older half is cleared as a whole.
const maxEntries = 1 << 16

// Events remembers events by the hashes of their records. It is safe for concurrent use.
type Events struct {
	origin time.Time

	mu           sync.Mutex
	window       time.Duration // guarded by mu
	newer, older half          // guarded by mu
	turned       time.Duration // when newer was begun, since origin; guarded by mu
	expires      bool          // expire will be called; guarded by mu
}

// entry is an event, or that a handler sent a record of an event that another handler had sent first.
type entry struct {
	at      time.Duration // since origin
	handler uint64        // that sent the record
}

// half has the entries of a part of the window.
type half struct {
	entries map[attrhash.Hash]entry
	// maybe has a bit for each entry, some for several. Most records come once, and a look at 64 KiB spares a look at
	// a map of megabytes.
	maybe *[filterBits / 64]uint64
}

// filterBits lets one of eight records that are new be looked up when a half is full.
const filterBits = 8 * maxEntries

func newHalf() half { return half{map[attrhash.Hash]entry{}, new([filterBits / 64]uint64)} }

func bitOf(hash attrhash.Hash) (word, bit uint64) {
	i := hash.Lo % filterBits
	return i / 64, 1 << (i % 64)
}

func (h half) add(hash attrhash.Hash, e entry) {
	h.entries[hash] = e
	word, bit := bitOf(hash)
	h.maybe[word] |= bit
}

func (h half) find(hash attrhash.Hash) (e entry, ok bool) {
	if word, bit := bitOf(hash); h.maybe[word]&bit == 0 {
		return entry{}, false
	}
	e, ok = h.entries[hash]
	return e, ok
}

func (h half) clear() {
	clear(h.entries)
	clear(h.maybe[:])
}

// NewEvents returns Events that remember each record for a time.
func NewEvents(window time.Duration) *Events {
	return &Events{
		window: window, origin: time.Now(),
		newer: newHalf(), older: newHalf(),
	}
}

// SetWindow changes for how long records are remembered.
func (r *Events) SetWindow(window time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.window = window
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
func (r *Events) Claim(records []Record) (claimed []attrhash.Hash) {
	claimed = make([]attrhash.Hash, 0, len(records))
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Since(r.origin)
	add := func(hash attrhash.Hash, handler uint64) {
		if len(r.newer.entries) == maxEntries || now-r.turned > r.window {
			r.newer, r.older, r.turned = r.older, r.newer, now
			r.newer.clear()
		}
		r.newer.add(hash, entry{now, handler})
		if !r.expires {
			r.expires = true
			time.AfterFunc(r.window, r.expire)
		}
		claimed = append(claimed, hash)
	}
	for i := range records {
		record := &records[i]
		if record.Handler == (attrhash.Hash{}) {
			if _, record.Came = r.find(record.Content, now); !record.Came {
				add(record.Content, 0)
			}
			continue
		}
		// The nth record of a handler is of the nth event.
		handler := record.Handler.Lo
		for n := range uint64(maxEqual) {
			content := record.Content.Number(n)
			event, known := r.find(content, now)
			if !known {
				add(content, handler)
				break
			}
			if event.handler == handler {
				continue // its nth record made the event
			}
			own := record.Handler.Number(n)
			if _, sent := r.find(own, now); !sent {
				add(own, handler)
				record.Came = true
				break
			}
		}
	}
	return claimed
}

// expire gives back the memory of the older half if no new half was begun within the window. A map that is cleared
// keeps its memory.
func (r *Events) expire() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Since(r.origin); now-r.turned >= r.window {
		r.newer, r.older, r.turned = newHalf(), r.newer, now
	}
	if r.expires = len(r.older.entries) > 0 || len(r.newer.entries) > 0; r.expires {
		time.AfterFunc(r.window, r.expire)
	}
}

// find returns the entry of a hash that came within the window.
func (r *Events) find(hash attrhash.Hash, now time.Duration) (e entry, ok bool) {
	if e, ok = r.newer.find(hash); !ok {
		e, ok = r.older.find(hash)
	}
	return e, ok && now-e.at <= r.window
}

// Forget lets records come again.
func (r *Events) Forget(records []attrhash.Hash) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, record := range records {
		delete(r.newer.entries, record)
		delete(r.older.entries, record)
	}
}
