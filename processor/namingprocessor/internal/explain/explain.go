// SPDX-License-Identifier: Apache-2.0

// Package explain keeps a bounded table of names and their changes, and logs it.
package explain

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/fairshare"
)

// maxRows limits the table. It is more than a person reads.
const maxRows = 1000

// maxServices leaves each service several rows.
const maxServices = 100

// Row holds one change of a name, its reason and its count. A nil Row stands for a change that the table
// has no room for, or for no change.
type Row struct {
	key       Key
	original  string // the first one, if several share the row
	system    string
	firstSeen time.Time
	count     atomic.Int64
	forgotten atomic.Bool
}

// Key identifies a row. Original is empty if several originals share the row.
type Key struct {
	Service, Original, Name string
	Rule                    naming.Rule
}

// Gone reports whether the table no longer has the row.
func (r *Row) Gone() bool { return r == nil || r.forgotten.Load() }

// Seen adds to the count of the row.
func (r *Row) Seen(items int64) {
	if r != nil {
		r.count.Add(items)
	}
}

// Table holds the rows, and shares them fairly between services. It logs each new row: at info level for
// services that are audited, else at debug level. It is safe for concurrent use.
type Table struct {
	logger *zap.Logger
	audits func(service string) bool

	*rows
}

// rows are shared by the tables of policies that follow each other.
type rows struct {
	mu    sync.Mutex
	table *fairshare.Table[Key, *Row]
}

// New returns an empty table. Audits reports whether a service is audited.
func New(logger *zap.Logger, audits func(service string) bool) *Table {
	t := &Table{logger: logger, audits: audits, rows: &rows{}}
	t.table = fairshare.New(fairshare.Limits{Entries: maxRows, Service: maxRows, Services: maxServices},
		func(_ Key, row *Row) { row.forgotten.Store(true) })
	return t
}

// Auditing returns a table with the same rows, for a policy that audits other services.
func (t *Table) Auditing(audits func(service string) bool) *Table {
	return &Table{logger: t.logger, audits: audits, rows: t.rows}
}

// log logs a row, with further fields.
func (t *Table) log(row *Row, message string, more ...zap.Field) {
	level := zapcore.DebugLevel
	if t.audits(row.key.Service) {
		level = zapcore.InfoLevel
	}
	if check := t.logger.Check(level, message); check != nil {
		check.Write(append(row.fields(), more...)...)
	}
}

// Decided returns the row of a decision. Originals with values in their names share the row of the new
// name, which shows the first of them.
func (t *Table) Decided(service, original string, d *naming.Decision) *Row {
	if !d.Changed() && !d.Violation() {
		return nil
	}
	key := Key{service, original, d.Name, d.Rule}
	if d.Attributes != nil || d.IDs != nil {
		key.Original = ""
	}
	return t.Row(key, original, d.System)
}

// Row returns the row of a key. It adds the row if there is room.
func (t *Table) Row(key Key, original string, system *naming.System) *Row {
	key.Service = naming.Beginning(key.Service, maxBytes)
	key.Original, key.Name = naming.Beginning(key.Original, maxBytes), naming.Beginning(key.Name, maxBytes)
	t.mu.Lock()
	defer t.mu.Unlock()
	if row, ok := t.table.Get(key.Service, key); ok {
		return row
	}
	// Cloned, because the names may share memory with telemetry.
	key.Service, key.Original, key.Name = strings.Clone(key.Service), strings.Clone(key.Original), strings.Clone(key.Name)
	row := &Row{
		key: key, original: strings.Clone(naming.Beginning(original, maxBytes)), system: system.Name(), firstSeen: time.Now(),
	}
	if !t.table.Put(key.Service, key, row) {
		return nil
	}
	t.log(row, "Name explained")
	return row
}

// maxBytes limits the length of a name in a row.
const maxBytes = 256

func (r *Row) fields() []zap.Field {
	return []zap.Field{
		zap.String("original", r.original), zap.String("name", r.key.Name),
		zap.Stringer("rule", r.key.Rule), zap.String("reason", r.key.Rule.Reason()),
		zap.String("system", r.system), zap.String("service", r.key.Service),
	}
}

// Summary logs all rows with their counts.
func (t *Table) Summary() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, row := range t.table.All() {
		t.log(row, "Name explained, in all", zap.Time("first_seen", row.firstSeen), zap.Int64("count", row.count.Load()))
	}
}
