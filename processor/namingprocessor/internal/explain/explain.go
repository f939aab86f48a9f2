// Package explain keeps a bounded table of names and what they became, and logs it.
package explain

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/fairshare"
)

// maxRows bounds the table: what a person can read, and then some.
const maxRows = 1000

// maxServices leaves each service a few rows.
const maxServices = 100

// Row says what became of one name, and why. A nil Row stands for one that the table had
// no room for, or that there was nothing to say about.
type Row struct {
	key       Key
	original  string // the first one
	system    string
	firstSeen time.Time
	count     atomic.Int64
	forgotten atomic.Bool
}

// Key is what the table has one row for. Original is empty where several originals share
// a row.
type Key struct {
	Service, Original, Name string
	Rule                    naming.Rule
}

// Gone reports whether the table does not have the row.
func (r *Row) Gone() bool { return r == nil || r.forgotten.Load() }

// Seen counts so many more items.
func (r *Row) Seen(items int64) {
	if r != nil {
		r.count.Add(items)
	}
}

// Table is shared fairly between services. Each new row is logged: at info level in
// audit mode, whose purpose it is, else at debug level. It is safe for concurrent use.
type Table struct {
	logger *zap.Logger
	level  zapcore.Level

	mu   sync.Mutex
	rows *fairshare.Table[Key, *Row]
}

// New returns an empty table.
func New(logger *zap.Logger, audit bool) *Table {
	t := &Table{logger: logger, level: zapcore.DebugLevel}
	t.rows = fairshare.New(fairshare.Limits{Entries: maxRows, Service: maxRows, Services: maxServices},
		func(_ Key, row *Row) { row.forgotten.Store(true) })
	if audit {
		t.level = zapcore.InfoLevel
	}
	return t
}

// Decided returns the row of a decision. Originals that had values in them share
// the row of their new name; the first one stands for all.
func (t *Table) Decided(service, original string, d *naming.Decision) *Row {
	if !d.Changed() && !d.Violation() && !d.Drop {
		return nil
	}
	key := Key{service, original, d.Name, d.Rule}
	if d.Attributes != nil || d.IDs != nil {
		key.Original = ""
	}
	return t.Row(key, original, d.System)
}

// Row returns the row of a key. It makes one if there is room for it.
func (t *Table) Row(key Key, original string, system *naming.System) *Row {
	key.Service = naming.Beginning(key.Service, maxBytes)
	key.Original, key.Name = naming.Beginning(key.Original, maxBytes), naming.Beginning(key.Name, maxBytes)
	t.mu.Lock()
	defer t.mu.Unlock()
	if row, ok := t.rows.Get(key.Service, key); ok {
		return row
	}
	// The names may share memory with telemetry.
	key.Service, key.Original, key.Name = strings.Clone(key.Service), strings.Clone(key.Original), strings.Clone(key.Name)
	row := &Row{
		key: key, original: strings.Clone(naming.Beginning(original, maxBytes)), system: system.Name(), firstSeen: time.Now(),
	}
	if !t.rows.Put(key.Service, key, row) {
		return nil
	}
	if check := t.logger.Check(t.level, "Name explained"); check != nil {
		check.Write(row.fields()...)
	}
	return row
}

// maxBytes is how much of a name a row holds.
const maxBytes = 256

func (r *Row) fields() []zap.Field {
	return []zap.Field{
		zap.String("original", r.original), zap.String("name", r.key.Name),
		zap.Stringer("rule", r.key.Rule), zap.String("reason", r.key.Rule.Reason()),
		zap.String("system", r.system), zap.String("service", r.key.Service),
	}
}

// Summary logs the whole table with its counts.
func (t *Table) Summary() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, row := range t.rows.All() {
		if check := t.logger.Check(t.level, "Name explained, in all"); check != nil {
			check.Write(append(row.fields(), zap.Time("first_seen", row.firstSeen), zap.Int64("count", row.count.Load()))...)
		}
	}
}
