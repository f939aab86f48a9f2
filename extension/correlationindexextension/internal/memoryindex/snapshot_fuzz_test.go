// SPDX-License-Identifier: Apache-2.0

package memoryindex_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/memoryindex"
	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/snapshot"
	"github.com/otelcol-tc/otelcol-tc/tests/indextest"
)

// FuzzSnapshot breaks a part, with and without a checksum that fits.
func FuzzSnapshot(f *testing.F) {
	const sumEnd = 9
	x := memoryindex.New(1, 24*time.Hour)
	random := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		indextest.All(f, x, indextest.RandomRequest(random, 30))
	}
	for i := range x.Parts() {
		whole := snapshot.Encode(x.Take(i, new([]byte)))
		f.Add(whole, 0, byte(0), 0, false)
		f.Add(whole, 40, byte(1), 0, true)
		f.Add(whole, len(whole)-1, byte(0x80), 100, true)
	}
	f.Fuzz(func(t *testing.T, b []byte, at int, flip byte, cut int, sign bool) {
		b = append([]byte(nil), b...)
		if len(b) > 0 {
			b[uint(at)%uint(len(b))] ^= flip
			b = b[:len(b)-int(uint(cut)%uint(len(b)+1))]
		}
		if sign && len(b) >= sumEnd {
			binary.LittleEndian.PutUint64(b[1:], xxh3.Hash(b[sumEnd:]))
		}
		p, err := snapshot.Decode(b)
		if err != nil {
			return
		}
		restored := memoryindex.New(1, 10*time.Minute)
		restored.Restore([]*memoryindex.Part{p})
		restored.RequireSound(t)
	})
}
