package logcorrelationprocessor

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/recent"
)

// deduplicator removes records that come twice, for example from an application with two log
// handlers. It is safe for concurrent use.
type deduplicator struct {
	// seed is another one after each start of the collector, so that no sender can make two
	// records with equal hashes.
	seed    uint64
	records *recent.Records
}

func newDeduplicator(window time.Duration) *deduplicator {
	return &deduplicator{seed: rand.Uint64(), records: recent.New(window)}
}

// removeFrom removes the records of a batch that came before, and the scopes and resources without
// other records. It returns the number of removed records.
func (d *deduplicator) removeFrom(ctx context.Context, ld plog.Logs) (removed int64) {
	hashes := d.hashes(ld)
	d.records.Claim(hashes)
	if pending := pendingOf(ctx); pending != nil {
		pending.claimed = hashes
	}
	next := 0
	removeRecords(ld, func(_ plog.ResourceLogs, _ plog.ScopeLogs, record plog.LogRecord) bool {
		came := hashes[next] == attrhash.Hash{} && canCome(record)
		next++
		if came {
			removed++
		}
		return came
	})
	return removed
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

// hashes returns the hashes of a batch's records in order, zero for one that is never a
// duplicate.
func (d *deduplicator) hashes(ld plog.Logs) []attrhash.Hash {
	hashes := make([]attrhash.Hash, 0, ld.LogRecordCount())
	for _, rl := range ld.ResourceLogs().All() {
		resource := d.attributes(rl.Resource().Attributes())
		for _, sl := range rl.ScopeLogs().All() {
			for _, record := range sl.LogRecords().All() {
				hash := attrhash.Hash{}
				if canCome(record) {
					hash = d.hash(resource, record)
				}
				hashes = append(hashes, hash)
			}
		}
	}
	return hashes
}

// hash hashes what is equal in the records of two handlers for one event. The observed time and
// the scope are not.
func (d *deduplicator) hash(resource attrhash.Hash, record plog.LogRecord) attrhash.Hash {
	traceID, spanID := record.TraceID(), record.SpanID()
	h := attrhash.Hash{Lo: d.seed}
	for _, part := range [...]attrhash.Hash{resource, d.attributes(record.Attributes()), attrhash.Value(d.seed, record.Body())} {
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

// attributes hashes a set of attributes without the place in the code: only one of two handlers
// may add it.
func (d *deduplicator) attributes(attributes pcommon.Map) (sum attrhash.Hash) {
	for key, value := range attributes.All() {
		if !strings.HasPrefix(key, "code.") {
			sum = sum.Plus(attrhash.Value(attrhash.Key(d.seed, key), value))
		}
	}
	return sum
}
