// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zapcore"
)

// FuzzSnapshot changes a snapshot, with and without a valid checksum. The processor starts
// with or without it, logs at most one warning, and accepts points.
func FuzzSnapshot(f *testing.F) {
	f.Add(0, byte(0), 0, false)
	f.Add(40, byte(1), 0, true)
	f.Add(1<<20, byte(0x80), 100, true)
	f.Fuzz(func(t *testing.T, offset int, flip byte, cut int, sign bool) {
		directory := snapshotOf(t)
		change := func(whole []byte) []byte {
			b := slices.Clone(whole)
			b[uint(offset)%uint(len(b))] ^= flip
			return b[:len(b)-int(uint(cut)%uint(len(b)))]
		}
		if sign {
			rewrite(t, directory, change)
		} else {
			whole, err := os.ReadFile(snapshotIn(directory))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(snapshotIn(directory), change(whole), 0o600))
		}
		l := live(t, directory, nil)
		assert.LessOrEqual(t, l.logs.FilterLevelExact(zapcore.WarnLevel).Len(), 1)
		r := clock(t)
		l.send(r.counters(pt{"id=1", 1, 20, 150})) // late if the changed snapshot has a later time
		other := r.counters(pt{"id=1", 1, 20, 150})
		other.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).SetName("tc_other_total")
		require.NotEmpty(t, receive(l.send(other)))
		l.end()
	})
}
