// SPDX-License-Identifier: Apache-2.0

package ancestry

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A sender decides how deep a trace is and how many of its spans have one key. So a question must not walk: a batch of 1 MB
// can ask millions.
func TestDeepTraces(t *testing.T) {
	const depth = 100_000
	id := func(n uint64) (id ID) {
		binary.BigEndian.PutUint64(id.Span[:], n)
		return id
	}
	for _, circle := range []bool{false, true} {
		b := Batch{Parents: func(yield func(id, parent ID) bool) {
			for n := uint64(1); n <= depth; n++ {
				if circle && n == 1 {
					yield(id(n), id(depth))
				} else {
					yield(id(n), id(n-1))
				}
			}
		}}
		for n := uint64(2); n <= depth; n++ {
			if b.IsAbove(id(1), id(n)) == circle || b.IsAbove(id(n), id(1)) {
				t.Fatal(circle, n)
			}
		}
		assert.Len(t, b.AncestorsOf(id(depth)), maxAncestors)
	}
	self := Batch{Parents: func(yield func(id, parent ID) bool) { yield(id(1), id(1)) }}
	assert.False(t, self.IsAbove(id(2), id(1)))
}
