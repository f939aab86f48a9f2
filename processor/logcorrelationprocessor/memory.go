package logcorrelationprocessor

import (
	"sync"
	"time"

	"github.com/zeebo/xxh3"
)

// maxRemembered is how many records are remembered in each of two halves, of
// which the older one is forgotten as a whole.
const maxRemembered = 1 << 17

// memory knows which records came within a time. It is safe for concurrent use.
type memory struct {
	window time.Duration
	origin time.Time

	mu           sync.Mutex
	newer, older map[xxh3.Uint128]time.Duration // when it came, since origin; guarded by mu
	turned       time.Duration                  // when newer was begun; guarded by mu
}

func newMemory(window time.Duration) *memory {
	return &memory{
		window: window, origin: time.Now(),
		newer: map[xxh3.Uint128]time.Duration{}, older: map[xxh3.Uint128]time.Duration{},
	}
}

// claim remembers records, and zeroes those that have come before within the time.
func (m *memory) claim(records []xxh3.Uint128) {
	none := xxh3.Uint128{}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Since(m.origin)
	for i, record := range records {
		if record == none {
			continue
		}
		if m.came(m.newer, record, now) || m.came(m.older, record, now) {
			records[i] = none
			continue
		}
		if len(m.newer) == maxRemembered || now-m.turned > m.window {
			m.newer, m.older, m.turned = m.older, m.newer, now
			clear(m.newer)
		}
		m.newer[record] = now
	}
}

func (m *memory) came(half map[xxh3.Uint128]time.Duration, record xxh3.Uint128, now time.Duration) bool {
	at, ok := half[record]
	return ok && now-at <= m.window
}

// forget lets records come again.
func (m *memory) forget(records []xxh3.Uint128) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, record := range records {
		delete(m.newer, record)
		delete(m.older, record)
	}
}
