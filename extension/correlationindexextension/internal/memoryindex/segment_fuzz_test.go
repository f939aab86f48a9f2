// SPDX-License-Identifier: Apache-2.0

package memoryindex

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/otelcol-tc/otelcol-tc/tests/indextest"
)

// FuzzSegment breaks a segment.
func FuzzSegment(f *testing.F) {
	x := New(1, 24*time.Hour)
	var whole []byte
	x.Record(func(changes Changes) { whole = changes.Append(whole) })
	random := rand.New(rand.NewPCG(9, 10))
	for range 20 {
		for range 20 {
			indextest.All(f, x, indextest.RandomRequest(random, 30))
		}
		f.Add(whole, 0, byte(0), 0)
		f.Add(whole, 40, byte(1), 0)
		f.Add(whole, len(whole)-1, byte(0x80), 100)
		whole = nil
	}
	whole = make([]byte, storedSize) // without a key
	binary.LittleEndian.PutUint64(whole[16:], uint64(time.Now().UnixNano()))
	f.Add(whole, 0, byte(0), 0)
	f.Fuzz(func(t *testing.T, b []byte, offset int, flip byte, cut int) {
		b = append([]byte(nil), b...)
		if len(b) > 0 {
			b[uint(offset)%uint(len(b))] ^= flip
			b = b[:len(b)-int(uint(cut)%uint(len(b)+1))]
		}
		restored := New(1, 10*time.Minute)
		_ = restored.Restore([][]byte{b})
		for i := range restored.shards {
			requireSound(t, &restored.shards[i])
		}
	})
}
