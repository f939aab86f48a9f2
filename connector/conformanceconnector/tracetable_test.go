package conformanceconnector

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// The table does what a map does, also when many want the same place.
func TestTraceTable(t *testing.T) {
	for _, tags := range []uint32{1, 3, 100, 1 << 20} {
		rng := newRand(uint64(tags))
		var x traceTable
		want := map[pcommon.TraceID]*waitingTrace{}
		var all []*waitingTrace
		for range 5000 {
			if rng.IntN(5) < 2 && len(all) > 0 {
				at := rng.IntN(len(all))
				x.remove(all[at])
				delete(want, all[at].id)
				all[at] = all[len(all)-1]
				all = all[:len(all)-1]
			} else {
				one := &waitingTrace{id: newTraceID(rng), hash: uint64(rng.Uint32N(tags))}
				x.add(one)
				want[one.id] = one
				all = append(all, one)
			}
			if len(all) > 0 {
				one := all[rng.IntN(len(all))]
				assert.Same(t, one, x.find(one.hash, &one.id))
				unknown := newTraceID(rng)
				assert.Nil(t, x.find(one.hash, &unknown))
			}
		}
		assert.Len(t, want, x.count)
		for id, one := range want {
			assert.Same(t, one, x.find(one.hash, &id))
		}
	}
}
