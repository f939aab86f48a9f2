// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/duplicates"
)

// deduplicator removes records that come twice, for example from an application with two log
// handlers. It is safe for concurrent use.
type deduplicator struct {
	// seed is another one after each start of the collector, so that no sender can make two
	// records with equal hashes.
	seed   uint64
	packs  []*conventions.Pack // whose records; nil: all
	events *duplicates.Events
}

// newDeduplicator returns nil if all records stay. What a deduplicator by the policy before has seen, it has seen too.
func newDeduplicator(cfg *Config, packs []*conventions.Pack, before *deduplicator) *deduplicator {
	d := &deduplicator{seed: rand.Uint64()}
	var window time.Duration
	if cfg.DedupWindow != nil {
		window = *cfg.DedupWindow
	} else {
		for _, pack := range packs {
			if pack.Logs.DedupWindow > 0 {
				d.packs = append(d.packs, pack)
				window = max(window, pack.Logs.DedupWindow)
			}
		}
	}
	if window == 0 {
		return nil
	}
	if before != nil {
		d.seed, d.events = before.seed, before.events
		d.events.SetWindow(window)
	} else {
		d.events = duplicates.NewEvents(window)
	}
	return d
}

// removeFrom removes the records of a batch that came before, and the scopes and resources without
// other records. It returns the number of removed records.
func (d *deduplicator) removeFrom(ctx context.Context, ld plog.Logs) (removed int64) {
	records, hashed := d.read(ld)
	if len(records) == 0 {
		return 0
	}
	claimed := d.events.Claim(hashed)
	if pending := pendingOf(ctx); pending != nil {
		pending.claimed = append(pending.claimed, claimed...)
	}
	came := map[plog.LogRecord]bool{}
	for i, record := range records {
		if hashed[i].Came {
			came[record] = true
		}
	}
	if len(came) > 0 {
		removeRecords(ld, func(_ plog.ResourceLogs, _ plog.ScopeLogs, record plog.LogRecord) bool { return came[record] })
	}
	return int64(len(came))
}

// has reports whether the deduplicator is for the records of a scope.
func (d *deduplicator) has(rl plog.ResourceLogs, sl plog.ScopeLogs) bool {
	if d.packs == nil {
		return true
	}
	attribute := func(key string) (string, bool) { return attributes.Lookup(rl.Resource().Attributes(), key) }
	return slices.ContainsFunc(d.packs, func(p *conventions.Pack) bool { return p.Owns.Selects(attribute, sl.Scope().Name()) })
}

// removeRecords removes records, and the scopes and resources without other records.
func removeRecords(ld plog.Logs, remove func(plog.ResourceLogs, plog.ScopeLogs, plog.LogRecord) bool) {
	ld.ResourceLogs().RemoveIf(func(rl plog.ResourceLogs) bool {
		before := rl.ScopeLogs().Len()
		rl.ScopeLogs().RemoveIf(func(sl plog.ScopeLogs) bool {
			before := sl.LogRecords().Len()
			sl.LogRecords().RemoveIf(func(record plog.LogRecord) bool { return remove(rl, sl, record) })
			return before > 0 && sl.LogRecords().Len() == 0
		})
		return before > 0 && rl.ScopeLogs().Len() == 0
	})
}

// read returns the records of a batch that can be duplicates, and their hashes. Two equal records
// without a time may be two events.
func (d *deduplicator) read(ld plog.Logs) (records []plog.LogRecord, hashed []duplicates.Record) {
	for _, rl := range ld.ResourceLogs().All() {
		var resource attrhash.Hash
		for _, sl := range rl.ScopeLogs().All() {
			if !d.has(rl, sl) {
				continue
			}
			if resource == (attrhash.Hash{}) {
				resource, _ = d.attributes(rl.Resource().Attributes())
			}
			count := sl.LogRecords().Len()
			records, hashed = slices.Grow(records, count), slices.Grow(hashed, count)
			for _, record := range sl.LogRecords().All() {
				if record.Timestamp() != 0 {
					records = append(records, record)
					hashed = append(hashed, d.record(resource, sl.Scope(), record))
				}
			}
		}
	}
	return records, hashed
}

// record returns a record with its handler. Of two handlers for one event only one adds the place in
// the code, or they have different scopes.
func (d *deduplicator) record(resource attrhash.Hash, scope pcommon.InstrumentationScope, record plog.LogRecord) duplicates.Record {
	own, hasCode := d.attributes(record.Attributes())
	r := duplicates.Record{Content: d.hash(resource, own, record)}
	if d.packs != nil {
		handler := uint64(1)
		if hasCode {
			handler++
		}
		r.Handler = r.Content.Number(handler).Text(scope.Name()).Text(scope.Version())
	}
	return r
}

// hash hashes what is equal in the records of two handlers for one event. The observed time and
// the scope are not.
func (d *deduplicator) hash(resource, attributes attrhash.Hash, record plog.LogRecord) attrhash.Hash {
	traceID, spanID := record.TraceID(), record.SpanID()
	h := attrhash.Hash{Lo: d.seed}
	for _, part := range [...]attrhash.Hash{resource, attributes, attrhash.Value(d.seed, record.Body())} {
		h = h.Number(part.Lo).Number(part.Hi)
	}
	for _, number := range [...]uint64{
		uint64(record.Timestamp()), uint64(record.SeverityNumber()), uint64(record.Flags()),
		binary.LittleEndian.Uint64(traceID[:8]), binary.LittleEndian.Uint64(traceID[8:]), binary.LittleEndian.Uint64(spanID[:]),
	} {
		h = h.Number(number)
	}
	return h.Text(record.SeverityText()).Text(record.EventName())
}

// attributes hashes a set of attributes without the place in the code, which only one of two
// handlers may add. It reports whether the set has a place.
func (d *deduplicator) attributes(set pcommon.Map) (sum attrhash.Hash, hasCode bool) {
	for key, value := range set.All() {
		if strings.HasPrefix(key, "code.") {
			hasCode = true
		} else {
			sum = sum.Plus(attrhash.Value(attrhash.Key(d.seed, key), value))
		}
	}
	return sum, hasCode
}
