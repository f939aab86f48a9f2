package namingprocessor

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

// maxExplanations bounds the table: what a person can read, and then some.
const maxExplanations = 1000

// maxExplainedServices leaves each service a few rows.
const maxExplainedServices = 100

// explanation says what became of one name, and why. A nil explanation stands
// for one that the table had no room for, or that there was nothing to say about.
type explanation struct {
	original, name  string
	rule            naming.Rule
	system, service string
	firstSeen       time.Time
	count           atomic.Int64
	forgotten       atomic.Bool
}

// gone reports whether the table does not have the row.
func (e *explanation) gone() bool { return e == nil || e.forgotten.Load() }

// seen counts so many more items.
func (e *explanation) seen(items int64) {
	if e != nil {
		e.count.Add(items)
	}
}

// explain is the bounded table of names and what they became, shared fairly between
// services. Each new row is logged: at info level in audit mode, whose purpose it is,
// else at debug level. It is safe for concurrent use.
type explain struct {
	logger *zap.Logger
	level  zapcore.Level

	mu   sync.Mutex
	rows *fairshare.Table[explanationKey, *explanation]
}

type explanationKey struct {
	service, original, name string
	rule                    naming.Rule
}

func newExplain(logger *zap.Logger, audit bool) *explain {
	e := &explain{logger: logger, level: zapcore.DebugLevel}
	e.rows = fairshare.New(fairshare.Limits{Entries: maxExplanations, Service: maxExplanations, Services: maxExplainedServices},
		func(_ explanationKey, row *explanation) { row.forgotten.Store(true) })
	if audit {
		e.level = zapcore.InfoLevel
	}
	return e
}

// decided returns the row of a decision. Originals that had values in them share
// the row of their new name; the first one stands for all.
func (e *explain) decided(service, original string, d *naming.Decision) *explanation {
	if !d.Changed() && !d.Violation() && !d.Drop {
		return nil
	}
	key := explanationKey{service, original, d.Name, d.Rule}
	if d.Attributes != nil || d.IDs != nil {
		key.original = ""
	}
	return e.row(key, original, d.System)
}

// row returns the row of a key, which is new where there is room for it.
func (e *explain) row(key explanationKey, original string, system *naming.System) *explanation {
	key.service = naming.Beginning(key.service, maxExplained)
	key.original, key.name = naming.Beginning(key.original, maxExplained), naming.Beginning(key.name, maxExplained)
	e.mu.Lock()
	defer e.mu.Unlock()
	if row, ok := e.rows.Get(key.service, key); ok {
		return row
	}
	// The names may share memory with telemetry.
	key.service, key.original, key.name = strings.Clone(key.service), strings.Clone(key.original), strings.Clone(key.name)
	row := &explanation{
		original: strings.Clone(naming.Beginning(original, maxExplained)), name: key.name, rule: key.rule,
		system: system.Name(), service: key.service, firstSeen: time.Now(),
	}
	if !e.rows.Put(key.service, key, row) {
		return nil
	}
	if check := e.logger.Check(e.level, "Name explained"); check != nil {
		check.Write(row.fields()...)
	}
	return row
}

// maxExplained is how much of a name a row holds.
const maxExplained = 256

func (e *explanation) fields() []zap.Field {
	return []zap.Field{
		zap.String("original", e.original), zap.String("name", e.name),
		zap.Stringer("rule", e.rule), zap.String("reason", e.rule.Reason()),
		zap.String("system", e.system), zap.String("service", e.service),
	}
}

// summary logs the whole table with its counts.
func (e *explain) summary() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, row := range e.rows.All() {
		if check := e.logger.Check(e.level, "Name explained, in all"); check != nil {
			check.Write(append(row.fields(), zap.Time("first_seen", row.firstSeen), zap.Int64("count", row.count.Load()))...)
		}
	}
}
