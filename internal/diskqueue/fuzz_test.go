// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzFiles opens a queue of arbitrary files. It ends, returns no more bytes than there are, and takes new
// records. With seal, the checksums of headers and slots are made right.
func FuzzFiles(f *testing.F) {
	disk := newMemory()
	q, _, err := open(Settings{Directory: "queue", MaxBytes: mebibyte, SegmentBytes: 80}, disk)
	require.NoError(f, err)
	add(f, q, "rec 1", "rec 2", "rec 3", "rec 4", "rec 5", "rec 6")
	texts(f, q, 100)
	require.NoError(f, q.Remove(1))
	const second = "queue/00000000000000000002.segment"
	first, next, head := disk.File(firstSegment).Data, disk.File(second).Data, disk.File("queue/head").Data
	f.Add(first, next, head, false)
	f.Add(first, next, head, true)
	f.Add(next, first, head[:slotBytes], true)
	f.Add([]byte(magic), bytes.Repeat([]byte(magic), 100), []byte{}, true)
	f.Add(bytes.Repeat([]byte(magic+"\x00"), 100), first, head[slotDistance:], false)

	f.Fuzz(func(t *testing.T, first, second, head []byte, seal bool) {
		files := map[string][]byte{firstSegment: first, "queue/00000000000000000002.segment": second, "queue/head": head}
		disk := newMemory()
		total := 0
		for path, data := range files {
			disk.Put(path, bytes.Clone(data))
			total += len(data)
		}
		if seal {
			sealSegment(disk.File(firstSegment).Data, 1)
			sealSegment(disk.File("queue/00000000000000000002.segment").Data, 2)
			sealHead(disk.File("queue/head").Data)
		}
		settings := Settings{Directory: "queue", MaxBytes: math.MaxInt64}
		q, _, err := open(settings, disk)
		require.NoError(t, err)
		add(t, q, "new")
		require.NoError(t, q.Close())
		q, _, err = open(settings, disk)
		require.NoError(t, err)
		add(t, q, "newer")
		last, sum := []string{}, 0
		for {
			some := texts(t, q, 100)
			if len(some) == 0 {
				break
			}
			last = append(last, some...)
			for _, text := range some {
				sum += headerBytes + len(text)
			}
			require.NoError(t, q.Remove(len(some)))
		}
		require.LessOrEqual(t, sum, total+2*headerBytes+len("newnewer"))
		require.GreaterOrEqual(t, len(last), 2)
		require.Equal(t, []string{"new", "newer"}, last[len(last)-2:])
		require.Empty(t, disk.segments())
		require.True(t, q.Empty())
	})
}

// sealSegment makes the checksum of each header right.
func sealSegment(data []byte, number uint64) {
	for at := 0; at+headerBytes <= len(data); at++ {
		if b := data[at:]; bytes.HasPrefix(b, []byte(magic)) {
			binary.LittleEndian.PutUint32(b[headerBytes-4:], headerSum(b, position{number, int64(at)}))
		}
	}
}

// sealHead makes the checksum of each slot right.
func sealHead(data []byte) {
	for at := 0; at+slotBytes <= len(data); at += slotDistance {
		binary.LittleEndian.PutUint32(data[at+slotBytes-4:], crc32.Checksum(data[at:at+slotBytes-4], castagnoli))
	}
}
