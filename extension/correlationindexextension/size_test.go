// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/tests/indextest"
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
	indextest.Fill(t, m, million)
	perKey := float64(heap()-before) / million
	t.Logf("%.1f bytes a key", perKey)
	assert.LessOrEqual(t, perKey, 80.0)
	assert.Equal(t, int64(million), m.Members())
	assert.Zero(t, m.Evicted())

	fastest := time.Hour
	for range 5 {
		begun := time.Now()
		runtime.GC()
		fastest = min(fastest, time.Since(begun))
	}
	t.Logf("%s a garbage collection", fastest)
	assert.Less(t, fastest, 20*time.Millisecond)
}

// TestOneKeyOnAMillionSpans asks about a key that has long been poisoned.
func TestOneKeyOnAMillionSpans(t *testing.T) {
	m := startMemory(t, func(cfg *Config) { cfg.MaxMemoryMib = 16 })
	var batch [indextest.BatchOf]correlation.Request
	for n := 0; n < million; n += indextest.BatchOf {
		for i := range batch {
			batch[i] = correlation.Request{Key: indextest.KeyOf(1), Op: correlation.Join, Member: indextest.Numbered(uint64(n + i)), Limit: 64}
		}
		require.NoError(t, m.Do(t.Context(), batch[:], indextest.Ignore))
	}
	assert.Zero(t, m.Members())
	assert.Equal(t, int64(65*slotSize+entrySize), m.Bytes(), "64 members that are forgotten, and the record that poisons the key")
}

func TestRequestsAllocateNothing(t *testing.T) {
	m := startIndex(t, with(func(cfg *Config) { cfg.MaxMemoryMib = 1 }), componenttest.NewNopHost())
	var batch [indextest.BatchOf]correlation.Request
	for i := range batch {
		n := uint64(i)
		batch[i] = correlation.Request{Key: indextest.HashedKey(n % 200), Op: correlation.Op(n % 3), Member: indextest.Numbered(n), Limit: 3}
		batch[i].Member.Held = n%5 == 0
	}
	allocs := testing.AllocsPerRun(100, func() {
		for i := range batch {
			batch[i].Key.Lo++ // a new one
		}
		_ = m.Do(t.Context(), batch[:], indextest.Ignore)
	})
	// The race detector has a pool forget a scratch now and then.
	assert.Less(t, allocs, float64(len(batch)/4))
}
