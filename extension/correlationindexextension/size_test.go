package correlationindexextension

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// TestMillionKeys has a million keys in at most 80 bytes each, which the garbage
// collector does not look at.
func TestMillionKeys(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	heap := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := heap()
	m := startMemory(t, func(cfg *Config) { cfg.MaxMemoryMib = 76 })
	fill(t, m, million)
	perKey := float64(heap()-before) / million
	t.Logf("%.1f bytes a key", perKey)
	assert.LessOrEqual(t, perKey, 80.0)
	assert.Equal(t, int64(million), m.sum(func(s *shard) int64 { return int64(s.members) }))
	assert.Zero(t, m.sum(func(s *shard) int64 { return int64(s.evicted) }))

	fastest := time.Hour
	for range 5 {
		begun := time.Now()
		runtime.GC()
		fastest = min(fastest, time.Since(begun))
	}
	t.Logf("%s a garbage collection", fastest)
	assert.Less(t, fastest, 20*time.Millisecond)
}

func TestMemoryIsWithinTheBound(t *testing.T) {
	f := func(mib int) {
		t.Helper()
		m := &memory{config: settings(func(cfg *Config) { cfg.MaxMemoryMib = mib })}
		m.allocate()
		s := &m.shards[0]
		assert.LessOrEqual(t, len(m.shards)*(len(s.ring.slots)*slotSize+len(s.table.entries)*entrySize), mib<<20)
		assert.LessOrEqual(t, len(s.ring.slots), maxSlots, "a table's entry has no more")
		assert.LessOrEqual(t, len(s.ring.slots)*loadUnder, len(s.table.entries)*loadOver)
	}
	for _, mib := range []int{1, 2, 3, 15, 16, 17, 64, 76, 1000} {
		f(mib)
	}
}

// TestOneKeyOnAMillionSpans visits a key that has long been poisoned.
func TestOneKeyOnAMillionSpans(t *testing.T) {
	m := startMemory(t, func(cfg *Config) { cfg.MaxMemoryMib = 16 })
	var batch [batchOf]correlation.Visit
	for n := 0; n < million; n += batchOf {
		for i := range batch {
			batch[i] = correlation.Visit{Key: keyOf(1), Op: correlation.Join, Member: numbered(uint64(n + i)), Limit: 64}
		}
		require.NoError(t, m.Visit(t.Context(), batch[:], ignore))
	}
	assert.Zero(t, m.sum(func(s *shard) int64 { return int64(s.members) }))
	assert.Equal(t, int64(65*slotSize+entrySize), m.sum(func(s *shard) int64 {
		return int64(s.ring.used)*slotSize + int64(s.keys)*entrySize
	}), "64 members that are forgotten, and the mark")
}

func TestVisitsAllocateNothing(t *testing.T) {
	m := startIndex(t, settings(func(cfg *Config) { cfg.MaxMemoryMib = 1 }), componenttest.NewNopHost())
	var batch [batchOf]correlation.Visit
	for i := range batch {
		n := uint64(i)
		batch[i] = correlation.Visit{Key: hashedKey(n % 200), Op: correlation.Op(n % 3), Member: numbered(n), Limit: 3}
		batch[i].Member.Held = n%5 == 0
	}
	allocs := testing.AllocsPerRun(100, func() {
		for i := range batch {
			batch[i].Key.Lo++ // a new one
		}
		_ = m.Visit(t.Context(), batch[:], ignore)
	})
	// The race detector has a pool forget a scratch now and then.
	assert.Less(t, allocs, float64(len(batch)/4))
}
