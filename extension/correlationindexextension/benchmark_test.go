package correlationindexextension

import (
	"encoding/binary"
	"strconv"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

const million = 1_000_000

// hashedKey is as even as keys are.
func hashedKey(n uint64) correlation.Key {
	hash := xxh3.Hash128(binary.LittleEndian.AppendUint64(nil, n))
	return correlation.Key{Hi: hash.Hi, Lo: hash.Lo}
}

func numbered(n uint64) (m correlation.Member) {
	binary.BigEndian.PutUint64(m.TraceID[8:], n+1)
	binary.BigEndian.PutUint64(m.SpanID[:], n+1)
	return m
}

// batchOf is the visits that the benchmarks make at a time.
const batchOf = 512

func ignore(int, correlation.Result) {}

// fill joins a member of each key from 0 on.
func fill(b testing.TB, index correlation.Index, keys uint64) {
	batch := make([]correlation.Visit, 0, batchOf)
	for n := range keys {
		batch = append(batch, correlation.Visit{Key: hashedKey(n), Op: correlation.Join, Member: numbered(n), Limit: 64})
		if len(batch) == batchOf || n == keys-1 {
			if err := index.Visit(b.Context(), batch, ignore); err != nil {
				b.Fatal(err)
			}
			batch = batch[:0]
		}
	}
}

// benchmarkVisits measures one visit at a million keys, without what it takes to make
// the key. How full the ring is depends on its size.
func benchmarkVisits(b *testing.B, mib int, make func(n uint64) correlation.Visit) {
	index := startMemory(b, func(cfg *Config) { cfg.MaxMemoryMib = mib })
	fill(b, index, million)
	var batch [batchOf]correlation.Visit
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += batchOf {
		b.StopTimer()
		for i := range batch {
			batch[i] = make(uint64(n + i))
		}
		b.StartTimer()
		_ = index.Visit(b.Context(), batch[:], ignore)
	}
}

func BenchmarkVisit(b *testing.B) {
	newKey := func(n uint64) correlation.Visit {
		return correlation.Visit{Key: hashedKey(million + n), Op: correlation.Join, Member: numbered(n), Limit: 64}
	}
	// The second member of a key and, when all have two, the third.
	knownKey := func(n uint64) correlation.Visit {
		return correlation.Visit{Key: hashedKey(n * 7919 % million), Op: correlation.Join, Member: numbered(million + n), Limit: 64}
	}
	duplicate := func(n uint64) correlation.Visit {
		n = n * 7919 % million
		return correlation.Visit{Key: hashedKey(n), Op: correlation.Join, Member: numbered(n), Limit: 64}
	}
	b.Run("new key, full ring", func(b *testing.B) { benchmarkVisits(b, 76, newKey) })
	b.Run("new key, room", func(b *testing.B) { benchmarkVisits(b, 1024, newKey) })
	b.Run("known key, room", func(b *testing.B) { benchmarkVisits(b, 256, knownKey) })
	b.Run("duplicate", func(b *testing.B) { benchmarkVisits(b, 80, duplicate) })
	b.Run("look, found", func(b *testing.B) {
		benchmarkVisits(b, 80, func(n uint64) correlation.Visit { return correlation.Visit{Key: hashedKey(n * 7919 % million)} })
	})
	b.Run("look, not found", func(b *testing.B) {
		benchmarkVisits(b, 80, func(n uint64) correlation.Visit { return correlation.Visit{Key: hashedKey(million + n)} })
	})
	b.Run("poisoned", func(b *testing.B) {
		benchmarkVisits(b, 80, func(n uint64) correlation.Visit {
			v := newKey(n)
			v.Key = correlation.Key{Hi: 1, Lo: 1}
			return v
		})
	})
}

// BenchmarkRedis measures a batch that joins as many new keys.
func BenchmarkRedis(b *testing.B) {
	index := startShared(b, startServer(b), nil)
	for _, size := range []int{1, 64, 512, 8192} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			batch := make([]correlation.Visit, size)
			for n := range b.N {
				for i := range batch {
					key := uint64(n*size + i)
					batch[i] = correlation.Visit{Key: hashedKey(key), Op: correlation.Join, Member: numbered(key), Limit: 64}
				}
				if err := index.Visit(b.Context(), batch, ignore); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*size), "µs/visit")
		})
	}
}
