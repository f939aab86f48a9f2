// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

var benchmarked = []int{2_000, 100_000}

// BenchmarkAppend appends records, with and without a look at the free space.
func BenchmarkAppend(b *testing.B) {
	for _, size := range benchmarked {
		for _, minFree := range []int64{0, mebibyte} {
			b.Run(fmt.Sprintf("bytes=%d/minfree=%d", size, minFree), func(b *testing.B) {
				q := opened(b, Settings{Directory: b.TempDir(), MaxBytes: 1 << 40, MinFreeBytes: minFree})
				payload := make([]byte, size)
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					if q.Append(payload, 1) != nil {
						b.Fatal("not appended")
					}
					if q.Stats().OnDisk > 64*mebibyte {
						b.StopTimer()
						empty(b, q)
						b.StartTimer()
					}
				}
			})
		}
	}
}

// BenchmarkConsume peeks and removes batches of up to 1 MiB. An operation is one record.
func BenchmarkConsume(b *testing.B) {
	for _, size := range benchmarked {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			q := opened(b, Settings{Directory: b.TempDir(), MaxBytes: 1 << 40})
			payload := make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for left := b.N; left > 0; {
				b.StopTimer()
				for q.Stats().OnDisk < 64*mebibyte {
					require.NoError(b, q.Append(payload, 1))
				}
				b.StartTimer()
				for !q.Empty() && left > 0 {
					records, err := q.Peek(mebibyte)
					require.NoError(b, err)
					require.NoError(b, q.Remove(len(records)))
					left -= len(records)
				}
			}
		})
	}
}

// empty removes all records.
func empty(b *testing.B, q *Queue) {
	for !q.Empty() {
		records, err := q.Peek(8 * mebibyte)
		require.NoError(b, err)
		require.NoError(b, q.Remove(len(records)))
	}
}
