// SPDX-License-Identifier: Apache-2.0

package series

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTableIsAMap compares a table with a map over random insertions and removals.
func TestTableIsAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var table table
		want := map[uint64]uint32{}
		for range r.IntN(300) {
			key := r.Uint64()
			if r.IntN(2) == 0 {
				key %= 64 // to get 0, and collisions
			}
			// The table replaces the key 0 by 1, since 0 means an empty slot.
			known := table.get(key)
			if key == 0 {
				key = 1
			}
			value, ok := want[key]
			require.Equal(t, ok, known != nil)
			if ok {
				require.Equal(t, value, known.Seen)
			} else {
				seen := uint32(r.IntN(10))
				require.Equal(t, seen, table.put(key, seen, 7).Seen)
				want[key] = seen
			}
			require.Equal(t, len(want), table.count)
		}
		for key := range want {
			if r.IntN(3) == 0 {
				table.remove(key)
				delete(want, key)
				require.Nil(t, table.get(key))
			}
		}
		for key, seen := range want {
			require.Equal(t, seen, table.get(key).Seen)
		}
		require.Equal(t, len(want), table.count)
		oldest := uint32(r.IntN(12))
		table.keep(func(e *entry) bool { return e.Seen >= oldest })
		for key, seen := range want {
			require.Equal(t, seen >= oldest, table.get(key) != nil)
		}
		require.LessOrEqual(t, 4*table.count, 3*max(len(table.slots), minSlots))
	}
}
