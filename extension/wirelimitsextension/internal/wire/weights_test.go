package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// single are the messages of which another has one at the most.
var single = map[kind]bool{
	resource: true, scope: true, status: true, buckets: true, arrayValue: true, keyValueList: true,
	gauge: true, sum: true, histogram: true, exponentialHistogram: true, summary: true,
}

// way is how a field is reached from a request.
type way struct {
	fields []int  // from the request on
	kinds  []kind // what they hold
}

// many reports whether there can be many of what the way ends in.
func (w way) many(i int) bool {
	if w.kinds[i] == anyValue {
		return i > 0 && w.kinds[i-1] == arrayValue
	}
	return !single[w.kinds[i]]
}

// ways returns a shortest way to each kind, with many of the last but singles.
func ways(s Signal) map[kind]way {
	found := map[kind]way{}
	for next := []way{{kinds: []kind{s.request()}}}; len(next) > 0; next = next[1:] {
		from := next[0]
		for field, to := range fields[from.kinds[len(from.kinds)-1]] {
			w := way{append(from.fields[:len(from.fields):len(from.fields)], field), append(from.kinds[:len(from.kinds):len(from.kinds)], to)}
			if to == opaque || len(w.fields) > 10 || found[to].fields != nil {
				continue
			}
			if to != anyValue || w.many(len(w.kinds)-1) {
				found[to] = w
			}
			next = append(next, w)
		}
	}
	return found
}

// body is a request with n of what the way ends in, each as short as it can be.
func (w way) body(n int) []byte {
	i := len(w.fields)
	content := []byte{0}
	if w.kinds[i] != varints {
		content = nil
	}
	repeated := false
	for ; i > 0; i-- {
		field := w.fields[i-1]
		if field == 0 {
			field = deprecatedField
		}
		one := binary.AppendUvarint(nil, uint64(field)<<3|uint64(typeLength))
		content = append(binary.AppendUvarint(one, uint64(len(content))), content...)
		if !repeated && w.many(i) {
			content = bytes.Repeat(content, n)
			repeated = true
		}
	}
	return content
}

// What the estimate says, pdata takes: no more than a quarter more, and no less than a
// third.
func TestWeightsAreThoseOfPdata(t *testing.T) {
	const n = 20_000
	covered := map[kind]bool{}
	for _, s := range signals {
		for k, w := range ways(s.signal) {
			if weights[k] == 0 || covered[k] {
				continue
			}
			covered[k] = true
			body := w.body(n)
			p := NewProtobuf(s.signal, unlimited)
			require.Equal(t, None, p.Check(body))
			taken := decodedSize(t, s, body)
			assert.Less(t, taken, float64(p.extra)*1.25, "kind %d: %s", k, fmt.Sprint(w))
			assert.Greater(t, taken, float64(p.extra)/3, "kind %d: %s", k, fmt.Sprint(w))
		}
	}
	for k, weight := range weights {
		assert.Equal(t, weight > 0, covered[kind(k)], "kind %d", k)
	}
}

// decodedSize returns how much memory pdata keeps for a body.
func decodedSize(t *testing.T, s signal, body []byte) float64 {
	t.Helper()
	least := math.Inf(1)
	for range 3 { // others of the process may allocate as well
		before := heap()
		request, err := s.fromProto(body)
		require.NoError(t, err)
		least = min(least, heap()-before)
		runtime.KeepAlive(request)
	}
	return least
}

func heap() float64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // what pools still held
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}
