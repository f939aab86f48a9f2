package report

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

const (
	// Other stands for what there is no room to tell apart.
	Other = "other"
	// MaxText is how many bytes are kept of a name that telemetry brings.
	MaxText = 256
	// ForgetAfter is how long a service or a metric is known that sends nothing.
	ForgetAfter = time.Hour
)

// Kept returns what is kept of a text of telemetry: its beginning, as valid UTF-8, which
// protobuf and JSON need.
func Kept(text string) string { return strings.ToValidUTF8(naming.Beginning(text, MaxText), "\ufffd") }

// table is a bounded map. It is safe for concurrent use.
type table[K comparable, R any] struct {
	most int
	mu   sync.Mutex
	rows map[K]*R
}

func newTable[K comparable, R any](most int) *table[K, R] {
	return &table[K, R]{most: most, rows: map[K]*R{}}
}

// of returns the row of a key, or nil where there is no room for it. A new row comes from
// add, with a key that shares no memory with telemetry; without add there is none.
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

func (t *table[K, R]) full() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.rows) >= t.most
}

func (t *table[K, R]) all() []*R {
	t.mu.Lock()
	defer t.mu.Unlock()
	rows := make([]*R, 0, len(t.rows))
	for _, row := range t.rows {
		rows = append(rows, row)
	}
	return rows
}

// forget removes the rows that test is true for, and reports whether there were any.
func (t *table[K, R]) forget(test func(*R) bool) (any bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, row := range t.rows {
		if test(row) {
			delete(t.rows, key)
			any = true
		}
	}
	return any
}

// moment is when something was seen last. The zero value is never.
type moment struct{ nanoseconds atomic.Int64 }

// note notes a time, to the second: cores that write the same place wait for each other.
func (m *moment) note(now time.Time) {
	if now.UnixNano()-m.nanoseconds.Load() >= int64(time.Second) {
		m.nanoseconds.Store(now.UnixNano())
	}
}

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
