package logcorrelationprocessor

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/plog"
)

// deduplicator removes records that come twice, as when an application has two
// handlers that send its logs. It is safe for concurrent use.
type deduplicator struct {
	memory  *memory
	hashers sync.Pool // of *hasher
}

func newDeduplicator(window time.Duration) *deduplicator {
	seed := newSeed()
	return &deduplicator{
		memory:  newMemory(window),
		hashers: sync.Pool{New: func() any { return &hasher{seed: seed} }},
	}
}

// removeFrom removes the records of a batch that came before, and the scopes and
// resources that have no other. It returns how many it removed.
func (d *deduplicator) removeFrom(ctx context.Context, ld plog.Logs) (removed int64) {
	h := d.hashers.Get().(*hasher)
	defer d.hashers.Put(h)
	h.batch(ld)
	d.memory.claim(h.records)
	if pending := pendingOf(ctx); pending != nil {
		pending.claimed = slices.Clone(h.records)
	}
	next := 0
	ld.ResourceLogs().RemoveIf(func(rl plog.ResourceLogs) bool {
		before := rl.ScopeLogs().Len()
		rl.ScopeLogs().RemoveIf(func(sl plog.ScopeLogs) bool {
			before := sl.LogRecords().Len()
			sl.LogRecords().RemoveIf(func(record plog.LogRecord) bool {
				came := h.records[next] == xxh3.Uint128{} && canCome(record)
				next++
				return came
			})
			removed += int64(before - sl.LogRecords().Len())
			return before > 0 && sl.LogRecords().Len() == 0
		})
		return before > 0 && rl.ScopeLogs().Len() == 0
	})
	return removed
}
