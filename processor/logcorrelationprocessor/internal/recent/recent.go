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

// Claim remembers records, and sets those that came before to zero. It ignores zeros.
func (r *Records) Claim(records []attrhash.Hash) {
	none := attrhash.Hash{}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Since(r.origin)
	for i, record := range records {
		if record == none {
			continue
		}
		if r.came(r.newer, record, now) || r.came(r.older, record, now) {
			records[i] = none
			continue
		}
		if len(r.newer) == maxRecords || now-r.turned > r.window {
			r.newer, r.older, r.turned = r.older, r.newer, now
			clear(r.newer)
		}
		r.newer[record] = now
	}
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
