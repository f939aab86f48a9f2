// SPDX-License-Identifier: Apache-2.0

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

// single are the messages of which a message has at most one.
var single = map[kind]bool{
	resource: true, scope: true, status: true, buckets: true, arrayValue: true, keyValueList: true,
	gauge: true, sum: true, histogram: true, exponentialHistogram: true, summary: true,
}

// route is how a field is reached from a request.
type route struct {
	fields []int  // from the request on
	kinds  []kind // what they hold
}

// many reports whether a request can have many of the last kind of the route.
func (w route) many(i int) bool {
	if w.kinds[i] == anyValue {
		return i > 0 && w.kinds[i-1] == arrayValue
	}
	return !single[w.kinds[i]]
}

// routes returns a shortest route to each kind that has many of the last kind, except of
// singles.
func routes(s Signal) map[kind]route {
	found := map[kind]route{}
	for next := []route{{kinds: []kind{s.request()}}}; len(next) > 0; next = next[1:] {
		from := next[0]
		for field, to := range fields[from.kinds[len(from.kinds)-1]] {
			w := route{append(from.fields[:len(from.fields):len(from.fields)], field), append(from.kinds[:len(from.kinds):len(from.kinds)], to)}
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

// body returns a request with n fields at the end of the route, each as short as possible.
func (w route) body(n int) []byte {
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

// pdata's memory is less than 1.25 times the estimate, and more than a third of it.
func TestWeightsAreThoseOfPdata(t *testing.T) {
	const n = 20_000
	covered := map[kind]bool{}
	for _, s := range signals {
		for k, w := range routes(s.signal) {
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
	for range 3 { // other goroutines may allocate memory as well
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
	runtime.GC() // frees what pools still hold
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}
