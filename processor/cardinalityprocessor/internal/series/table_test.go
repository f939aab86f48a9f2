package series

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table holds what a map holds, whatever is put in and taken out.
func TestTableIsAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var table table
		want := map[uint64]uint32{}
		for range r.IntN(300) {
			key := r.Uint64()
			if r.IntN(2) == 0 {
				key %= 64 // 0, and keys that are no hashes
			}
			// 0 and 1 are one key: 0 marks an empty slot.
			known := table.get(key)
			if key == 0 {
				key = 1
			}
			value, ok := want[key]
			require.Equal(t, ok, known != nil)
			if ok {
				require.Equal(t, value, known.seen)
			} else {
				seen := uint32(r.IntN(10))
				require.Equal(t, seen, table.put(key, seen, 7).seen)
				want[key] = seen
			}
			require.Equal(t, len(want), table.count)
		}
		oldest := uint32(r.IntN(12))
		table.keep(func(e *entry) bool { return e.seen >= oldest })
		for key, seen := range want {
			require.Equal(t, seen >= oldest, table.get(key) != nil)
		}
		require.LessOrEqual(t, 4*table.count, 3*max(len(table.slots), minSlots))
	}
}
