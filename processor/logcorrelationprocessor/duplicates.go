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

// newDeduplicator returns nil if all records stay.
func newDeduplicator(cfg *Config, packs []*conventions.Pack) *deduplicator {
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
	d.events = duplicates.NewEvents(window)
	return d
}

// removeFrom removes the records of a batch that came before, and the scopes and resources without
// other records. It returns the number of removed records.
func (d *deduplicator) removeFrom(ctx context.Context, ld plog.Logs) (removed int64) {
	records := d.read(ld)
	if len(records) == 0 {
		return 0
	}
	claimed := d.events.Claim(records)
	if pending := pendingOf(ctx); pending != nil {
		pending.claimed = append(pending.claimed, claimed...)
	}
	if !slices.ContainsFunc(records, func(r duplicates.Record) bool { return r.Came }) {
		return 0
	}
	next := 0
	removeRecords(ld, func(rl plog.ResourceLogs, sl plog.ScopeLogs, record plog.LogRecord) bool {
		if !canCome(record) || !d.has(rl, sl) {
			return false
		}
		came := records[next].Came
		next++
		if came {
			removed++
		}
		return came
	})
	return removed
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

// canCome reports whether a record can be a duplicate. Two equal records without a time may be two
// events.
func canCome(record plog.LogRecord) bool { return record.Timestamp() != 0 }

// read returns the records of a batch that can be duplicates, in order.
func (d *deduplicator) read(ld plog.Logs) []duplicates.Record {
	var records []duplicates.Record
	for _, rl := range ld.ResourceLogs().All() {
		resource, hashed := attrhash.Hash{}, false
		for _, sl := range rl.ScopeLogs().All() {
			if !d.has(rl, sl) {
				continue
			}
			if !hashed {
				resource, _ = d.attributes(rl.Resource().Attributes())
				hashed = true
			}
			records = slices.Grow(records, sl.LogRecords().Len())
			for _, record := range sl.LogRecords().All() {
				if canCome(record) {
					records = append(records, d.record(resource, sl.Scope(), record))
				}
			}
		}
	}
	return records
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
