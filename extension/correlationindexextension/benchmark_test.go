// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"testing"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/tests/indextest"
)

const million = 1_000_000

// benchmarkRequests measures one request at a million keys, without what it takes to make
// the key. How full the ring is depends on its size.
func benchmarkRequests(b *testing.B, mib int, make func(n uint64) correlation.Request) {
	index := startMemory(b, func(cfg *Config) { cfg.MaxMemoryMib = mib })
	indextest.Fill(b, index, million)
	var batch [indextest.BatchOf]correlation.Request
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += indextest.BatchOf {
		b.StopTimer()
		for i := range batch {
			batch[i] = make(uint64(n + i))
		}
		b.StartTimer()
		_ = index.Do(b.Context(), batch[:], indextest.Ignore)
	}
}

func BenchmarkRequest(b *testing.B) {
	newKey := func(n uint64) correlation.Request {
		return correlation.Request{Key: indextest.HashedKey(million + n), Op: correlation.Join, Member: indextest.Numbered(n), Limit: 64}
	}
	// The second member of a key and, when all have two, the third.
	knownKey := func(n uint64) correlation.Request {
		return correlation.Request{Key: indextest.HashedKey(n * 7919 % million), Op: correlation.Join, Member: indextest.Numbered(million + n), Limit: 64}
	}
	duplicate := func(n uint64) correlation.Request {
		n = n * 7919 % million
		return correlation.Request{Key: indextest.HashedKey(n), Op: correlation.Join, Member: indextest.Numbered(n), Limit: 64}
	}
	b.Run("new key, full ring", func(b *testing.B) { benchmarkRequests(b, 76, newKey) })
	b.Run("new key, room", func(b *testing.B) { benchmarkRequests(b, 1024, newKey) })
	b.Run("known key, room", func(b *testing.B) { benchmarkRequests(b, 256, knownKey) })
	b.Run("duplicate", func(b *testing.B) { benchmarkRequests(b, 80, duplicate) })
}
