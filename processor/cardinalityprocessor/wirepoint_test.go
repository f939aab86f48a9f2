package cardinalityprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// What a point has in common with the one before is read once; the times behind its attributes
// are read of each.
func TestWirePointsInCommon(t *testing.T) {
	attribute := func(w *wireWriter, key, text string) {
		value := append([]byte{tagText, byte(len(text))}, text...)
		pair := append([]byte{tagKey, byte(len(key))}, key...)
		pair = append(append(pair, tagValue, byte(len(value))), value...)
		w.raw(append([]byte{tagAttribute, byte(len(pair))}, pair...))
	}
	f := func(behind bool) {
		t.Helper()
		var attrs wireAttributes
		for _, id := range []string{"a", "bc", "bc", "d", ""} {
			var w wireWriter
			if !behind {
				w.fixed(tagTime, 2)
			}
			attribute(&w, "id", id)
			attribute(&w, "node", "n")
			attribute(&w, "shard", "s")
			if behind {
				w.fixed(tagTime, 2)
			}
			var p wirePoint
			require.True(t, p.read(w.bytes, &attrs))
			assert.Equal(t, pcommon.Timestamp(2), p.time)
			require.Equal(t, 3, attrs.count)
			assert.Equal(t, id, string(attrs.all[0].text))
			assert.Equal(t, "s", string(attrs.all[2].text))
		}
		assert.True(t, attrs.sameKeys)
		var w wireWriter
		attribute(&w, "id", "e")
		attribute(&w, "node", "n")
		require.True(t, (&wirePoint{}).read(w.bytes, &attrs))
		assert.Equal(t, 2, attrs.count)
		assert.False(t, attrs.sameKeys)
	}
	f(false)
	f(true)
}
