package conformanceconnector

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// rowKey tells findings apart.
type rowKey struct {
	rule                 *rule
	kind                 kind
	service              *service // nil for what a system lacks
	system               string
	original, suggestion string
	by                   *rule // of naming, that a name was made conformant by on the way
}

// row is one distinct finding. It is safe for concurrent use, but for what state.mu
// guards.
type row struct {
	rowKey
	shown   string // the original, or the first of several
	paste   string // the YAML that helps, or empty
	since   time.Time
	count   atomic.Int64 // since the last report that took it
	unsent  atomic.Int64 // since the last report that went to logs
	example atomic.Pointer[pcommon.TraceID]

	total int64 // guarded by state.mu
	idle  int   // reports without it; guarded by state.mu
}

// found counts a finding, which may be in a trace.
func (s *state) found(r *row, trace pcommon.TraceID) {
	r.exemplify(trace)
	s.foundMany(r, 1)
}

func (s *state) foundMany(r *row, n int64) {
	r.count.Add(n)
	if r.service == nil {
		s.refuse(limitFindings, n)
	}
}

// exemplify offers a trace as the example, which can be empty.
func (r *row) exemplify(trace pcommon.TraceID) {
	if r.example.Load() == nil && !trace.IsEmpty() {
		example := trace // on the heap, as the parameter need not be
		r.example.Store(&example)
	}
}

// maxIdle is for how many reports a row is kept that nothing is found for.
const maxIdle = 10

// findings is the bounded table of what was found. It is safe for concurrent use.
type findings struct {
	most int

	mu   sync.Mutex
	rows map[rowKey]*row
	// rest are the rows of what the table has no room for: one a rule and kind.
	rest map[rowKey]*row
	// renamed are the rows of names that were made conformant on the way.
	renamed map[renamedKey]*row
}

func newFindings(most int) *findings {
	return &findings{most: most, rows: map[rowKey]*row{}, rest: map[rowKey]*row{}, renamed: map[renamedKey]*row{}}
}

// row returns the row of a key, or the one for the rest of its rule.
func (f *findings) row(key rowKey) *row { return f.rowOf(key, key.original, nil) }

// rowOf is row for a key that several originals share, of which one is shown.
func (f *findings) rowOf(key rowKey, shown string, paste func() string) *row {
	key.original, key.suggestion = kept(key.original), kept(key.suggestion)
	f.mu.Lock()
	defer f.mu.Unlock()
	if found, ok := f.rows[key]; ok {
		return found
	}
	if f.full() {
		return f.restOf(key.rule, key.kind)
	}
	// The texts may share memory with telemetry.
	key.original, key.suggestion = strings.Clone(key.original), strings.Clone(key.suggestion)
	shown = strings.Clone(kept(shown))
	found := &row{rowKey: key, shown: shown, since: time.Now()}
	if paste != nil {
		found.paste = paste()
	}
	f.rows[key] = found
	if key.rule == ruleRenamed {
		f.renamed[key.renamed()] = found
	}
	return found
}

func (f *findings) full() bool { return len(f.rows) >= f.most }

// restOf is the row of what a full table has no room for.
func (f *findings) restOf(r *rule, k kind) *row {
	key := rowKey{rule: r, kind: k, original: otherService}
	if f.rest[key] == nil {
		f.rest[key] = &row{rowKey: key, shown: otherService, since: time.Now()}
	}
	return f.rest[key]
}

// renamed is what is known of a name that was made conformant before its original is
// decided.
func (k *rowKey) renamed() renamedKey { return renamedKey{k.service, k.kind, k.original, k.suggestion} }

// ofFull returns the row of a name that was made conformant if the table is full, or
// nil. To decide originals that have no row would only cost time.
func (f *findings) ofFull(key renamedKey) *row {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.full() {
		return nil
	}
	if found, ok := f.renamed[key]; ok {
		return found
	}
	key.original = "" // shared by originals that had values in them
	if found, ok := f.renamed[key]; ok {
		return found
	}
	return f.restOf(ruleRenamed, key.kind)
}

// each visits all rows.
func (f *findings) each(visit func(*row)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.rows {
		visit(r)
	}
	for _, r := range f.rest {
		visit(r)
	}
}

// forget forgets the rows that a test is true for, and tells whether there were any.
func (f *findings) forget(test func(*row) bool) (any bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key, r := range f.rows {
		if test(r) {
			delete(f.rows, key)
			delete(f.renamed, key.renamed())
			any = true
		}
	}
	return any
}
