// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/zeebo/xxh3"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/tests/indextest"
)

// Where a stored part's checksum, and its header end.
const sumEnd, partEnd = 9, 29

// stored is a disk after a life with members of all kinds.
func stored(t *testing.T) (*disk, *life) {
	d := newDisk()
	l := live(t, d, nil)
	random := rand.New(rand.NewPCG(7, 8))
	for range 1000 {
		indextest.One(t, l, indextest.RandomRequest(random, 200))
	}
	l.end()
	return d, l
}

func TestBrokenSnapshots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, l := stored(t)
		f := func(reason string, breaks func([]byte) []byte) {
			t.Helper()
			for _, key := range []string{"part0", "part7", "part15"} {
				broken := d.copied()
				broken.kept[key] = breaks(append([]byte(nil), broken.kept[key]...))
				next := live(t, broken, nil)
				require.Equal(t, 1, next.logs.Len())
				entry := next.logs.All()[0]
				assert.Equal(t, zap.WarnLevel, entry.Level)
				assert.Equal(t, "The index starts empty, since what was stored of it cannot be read", entry.Message)
				assert.Equal(t, key+": "+reason, entry.ContextMap()["error"])
				assert.NotEqual(t, l.seed(), next.seed())
				assert.Zero(t, next.Bytes())
				indextest.One(t, next, indextest.Join(1, 1))
				next.end()
				after := live(t, broken, nil)
				assert.Zero(t, after.logs.Len(), "nothing of it is left")
				assert.Equal(t, next.seed(), after.seed())
				assert.Equal(t, "1@1 | 2", indextest.Written(indextest.One(t, after, indextest.Look(1))))
				after.end()
			}
		}
		f("it is not of version 1", func(b []byte) []byte { return b[:0] })
		f("it is not of version 1", func(b []byte) []byte { b[0]++; return b })
		f("it is cut off", func(b []byte) []byte { return b[:partEnd-1] })
		f("its checksum is wrong", func(b []byte) []byte { return b[:partEnd] })
		f("its checksum is wrong", func(b []byte) []byte { return b[:len(b)-1] })
		f("its checksum is wrong", func(b []byte) []byte { b[len(b)/2] ^= 4; return b })
		f("a record is cut off", func(b []byte) []byte { return signed(append(b, 1)) })
		f("a trace state is cut off", func(b []byte) []byte {
			whole := [slotSize]byte{slotSize - 1: 0x80}
			return signed(append(b, whole[:]...))
		})
	})
}

// signed has the right checksum.
func signed(b []byte) []byte {
	binary.LittleEndian.PutUint64(b[1:], xxh3.Hash(b[sumEnd:]))
	return b
}

func TestPartsOfTwoIndexes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := stored(t)
		other, _ := stored(t)
		d.kept["part3"] = other.kept["part3"]
		l := live(t, d, nil)
		require.Equal(t, 1, l.logs.Len())
		assert.Equal(t, "part3: it is of another index", l.logs.All()[0].ContextMap()["error"])
		l.end()
	})
}
