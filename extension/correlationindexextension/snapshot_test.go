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
)

// stored is a disk after a life with members of all kinds.
func stored(t *testing.T) (*disk, *life) {
	d := newDisk()
	l := live(t, d, nil)
	random := rand.New(rand.NewPCG(7, 8))
	for range 1000 {
		visit(t, l, randomVisit(random, 200))
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
				assert.NotEqual(t, l.seed, next.seed)
				assert.Zero(t, next.sum(func(s *shard) int64 { return int64(s.ring.used) }))
				visit(t, next, join(1, 1))
				next.end()
				after := live(t, broken, nil)
				assert.Zero(t, after.logs.Len(), "nothing of it is left")
				assert.Equal(t, next.seed, after.seed)
				assert.Equal(t, "1@1 | 2", written(visit(t, after, look(1))))
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

// FuzzSnapshot breaks a part, with and without a checksum that fits.
func FuzzSnapshot(f *testing.F) {
	s := newShard(900, 1<<20)
	random, room := rand.New(rand.NewPCG(9, 10)), &scratch{}
	for n := range uint64(300) {
		v := randomVisit(random, 30)
		s.visit(&v, n, room)
	}
	whole := (&part{seed: 1, ticks: 300, records: s.ring.copyRecords(nil)}).encode()
	f.Add(whole, 0, byte(0), 0, false)
	f.Add(whole, 40, byte(1), 0, true)
	f.Add(whole, len(whole)-1, byte(0x80), 100, true)
	f.Fuzz(func(t *testing.T, b []byte, at int, flip byte, cut int, sign bool) {
		b = append([]byte(nil), b...)
		if len(b) > 0 {
			b[uint(at)%uint(len(b))] ^= flip
			b = b[:len(b)-int(uint(cut)%uint(len(b)+1))]
		}
		if sign && len(b) >= sumEnd {
			signed(b)
		}
		p, err := decodePart(b)
		if err != nil {
			return
		}
		m := &memory{config: settings(func(cfg *Config) { cfg.MaxMemoryMib = 1 })}
		m.allocate()
		m.restore([]*part{p})
		for i := range m.shards {
			requireSound(t, &m.shards[i])
		}
	})
}
