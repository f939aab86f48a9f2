package conformanceconnector

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

func TestDistinct(t *testing.T) {
	for _, n := range []int{0, 1, exactUpTo, exactUpTo + 1, 2000, 5000, 100_000, 1_000_000} {
		var d distinct
		rng := newRand(uint64(n))
		for range n {
			hash := rng.Uint64()
			d.add(hash)
			d.add(hash)
		}
		e := d.estimate()
		assert.Equal(t, n <= exactUpTo, e.Exact)
		if e.Exact {
			assert.Equal(t, n, e.Series)
		}
		assert.InDelta(t, n, e.Series, 4*0.023*float64(n))
	}
}

func TestHashAttributes(t *testing.T) {
	of := func(kv ...any) uint64 {
		m := pcommon.NewMap()
		for i := 0; i < len(kv); i += 2 {
			_ = m.PutEmpty(kv[i].(string)).FromRaw(kv[i+1])
		}
		return hashAttributes(m)
	}
	assert.Equal(t, of("a", "1", "b", "2"), of("b", "2", "a", "1"))
	different := map[uint64]string{}
	for i, hash := range []uint64{
		of(), of("a", "1"), of("a", 1), of("a", 1.0), of("a", true), of("b", "1"), of("a", "1", "b", "1"),
		of("a", "1", "b", "2"), of("a", "2", "b", "1"), of("a", []any{"1"}), of("a", ""), of("a", nil),
	} {
		assert.NotContains(t, different, hash, "%d", i)
		different[hash] = strconv.Itoa(i)
	}
}
