package conformanceconnector

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

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
