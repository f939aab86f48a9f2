// SPDX-License-Identifier: Apache-2.0

package storageguardextension

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/otelcol-tc/otelcol-tc/internal/boltcheck"
)

// BenchmarkInspect100MiB measures how long a file of 100 MiB in the page cache delays a start.
func BenchmarkInspect100MiB(b *testing.B) {
	for _, size := range []int{100, 10_000, 1_000_000} {
		b.Run(fmt.Sprintf("values=%d", size), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "exporter_otlp_")
			fill(b, path, size)
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				require.Equal(b, []boltcheck.Result{{File: path}}, boltcheck.Check(b.Context(), []string{path}))
			}
		})
	}
}

func fill(b *testing.B, path string, size int) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, NoFreelistSync: true})
	require.NoError(b, err)
	defer db.Close()
	for i, total := 0, 0; total < 100<<20; {
		require.NoError(b, db.Update(func(tx *bbolt.Tx) error {
			bucket, err := tx.CreateBucketIfNotExists([]byte("default"))
			for n := 0; n < 1000 && total < 100<<20 && err == nil; n++ {
				err = bucket.Put(fmt.Appendf(nil, "%09d", i), make([]byte, size))
				i, total = i+1, total+size
			}
			return err
		}))
	}
	info, err := os.Stat(path)
	require.NoError(b, err)
	require.GreaterOrEqual(b, info.Size(), int64(100<<20))
}
