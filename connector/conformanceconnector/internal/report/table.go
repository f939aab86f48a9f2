// SPDX-License-Identifier: Apache-2.0

package report

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// Other is the name for items beyond a limit.
	Other = "other"
	// ForgetAfter is the time after which a service or metric that sends nothing is removed.
	ForgetAfter = time.Hour
)

// table is a bounded map. It is safe for concurrent use.
type table[K comparable, R any] struct {
	most int
	mu   sync.Mutex
	rows map[K]*R
}

func newTable[K comparable, R any](most int) *table[K, R] {
	return &table[K, R]{most: most, rows: map[K]*R{}}
}

// of returns the row of a key, or nil if there is no room. It adds a missing row with add, whose key must
// not share memory with telemetry. A nil add adds no row.
func (t *table[K, R]) of(key K, add func() (K, *R)) *R {
	t.mu.Lock()
	defer t.mu.Unlock()
	if row, ok := t.rows[key]; ok {
		return row
	}
	if add == nil || len(t.rows) >= t.most {
		return nil
	}
	key, row := add()
	t.rows[key] = row
	return row
}

func (t *table[K, R]) all() []*R {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.rows))
}

// remove removes the row of a key, if there is one.
func (t *table[K, R]) remove(key K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.rows, key)
}

// forget removes the rows for which test returns true, and reports whether there were any.
func (t *table[K, R]) forget(test func(*R) bool) (any bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := len(t.rows)
	maps.DeleteFunc(t.rows, func(_ K, row *R) bool { return test(row) })
	return len(t.rows) < before
}

// moment is the time when something was last seen. The zero value means never.
type moment struct{ nanoseconds atomic.Int64 }

// set sets the moment, at most once a second, because cores that write to the same address slow each
// other down.
func (m *moment) set(now time.Time) {
	if now.UnixNano()-m.nanoseconds.Load() >= int64(time.Second) {
		m.nanoseconds.Store(now.UnixNano())
	}
}

// take sets the moment to another.
func (m *moment) take(other *moment) { m.nanoseconds.Store(other.nanoseconds.Load()) }

func (m *moment) before(t time.Time) bool { return m.nanoseconds.Load() < t.UnixNano() }

func (m *moment) after(t time.Time) bool { return m.nanoseconds.Load() > t.UnixNano() }

func (m *moment) never() bool { return m.nanoseconds.Load() == 0 }

// time returns the moment, or the zero time for never.
func (m *moment) time() time.Time {
	if m.never() {
		return time.Time{}
	}
	return time.Unix(0, m.nanoseconds.Load()).UTC()
}
