// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"errors"
	"hash/crc32"
	"math"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// firstSegment is the path of the first segment of a queue in memory.
const firstSegment = "queue/00000000000000000001.segment"

// stored returns a disk with records, two to a segment, and its queue closed.
func stored(t *testing.T, texts ...string) *memory {
	t.Helper()
	disk := newMemory()
	q := reopened(t, disk)
	add(t, q, texts...)
	require.NoError(t, q.Close())
	return disk
}

func reopened(t *testing.T, disk *memory) *Queue {
	t.Helper()
	q, _, err := open(Settings{Directory: "queue", MaxBytes: mebibyte, SegmentBytes: headerBytes + 6}, disk)
	require.NoError(t, err)
	return q
}

// drained removes all records, and returns their payloads.
func drained(t *testing.T, q *Queue) (all []string) {
	t.Helper()
	for {
		some := texts(t, q, 10)
		if len(some) == 0 {
			return all
		}
		all = append(all, some...)
		require.NoError(t, q.Remove(len(some)))
	}
}

func TestDamage(t *testing.T) {
	const record = headerBytes + 5
	f := func(name string, damaged, found int64, want string, harm func(*memory)) {
		t.Helper()
		disk := stored(t, "rec 1", "rec 2", "rec 3", "rec 4", "rec 5")
		harm(disk)
		q, recovery, err := open(Settings{Directory: "queue", MaxBytes: mebibyte}, disk)
		require.NoError(t, err)
		assert.Equal(t, found, recovery.Damaged, name)
		all := drained(t, q)
		assert.Equal(t, strings.Fields(want), strings.Fields(strings.ReplaceAll(strings.Join(all, " "), "rec ", "")), name)
		assert.Equal(t, Stats{Damaged: damaged}, q.Stats(), name)
		assert.Empty(t, disk.segments(), name)
		add(t, q, "more")
		assert.Equal(t, []string{"more"}, drained(t, q), name)
		require.NoError(t, q.Close())
	}
	flip := func(path string, at int) func(*memory) {
		return func(disk *memory) { disk.File(path).Data[at] ^= 0x10 }
	}
	f("nothing", 0, 0, "1 2 3 4 5", func(*memory) {})
	f("magic", record, record, "2 3 4 5", flip(firstSegment, 0))
	f("length", record, record, "2 3 4 5", flip(firstSegment, 5))
	f("payload of an older segment", record, 0, "2 3 4 5", flip(firstSegment, headerBytes))
	f("the second one", record, record, "1 3 4 5", flip(firstSegment, record))
	f("the second payload", record, 0, "1 3 4 5", flip(firstSegment, record+headerBytes))
	f("all of a segment", 2*record, 2*record, "3 4 5", func(disk *memory) {
		copy(disk.File(firstSegment).Data, make([]byte, 2*record))
	})
	f("an older segment cut", 20, 20, "1 3 4 5", func(disk *memory) {
		disk.File(firstSegment).Data = disk.File(firstSegment).Data[:record+20]
	})
	f("an older segment deleted", 0, 0, "3 4 5", func(disk *memory) { disk.Delete(firstSegment) })
	f("the last record", 0, 0, "1 2 3 4", flip("queue/00000000000000000003.segment", headerBytes))
}

// TestForeignFilesStay checks that files with other names are no segments.
func TestForeignFilesStay(t *testing.T) {
	disk := stored(t, "rec 1")
	names := []string{"queue/1.segment", "queue/99999999999999999999.segment", "queue/00000000000000000001.segment.bak"}
	for _, name := range names {
		disk.Put(name, []byte("foreign"))
	}
	assert.Equal(t, []string{"rec 1"}, drained(t, reopened(t, disk)))
	for _, name := range names {
		assert.NotNil(t, disk.File(name), name)
	}
}

// TestRecordsInPayloads damages a record whose payload holds another record.
func TestRecordsInPayloads(t *testing.T) {
	forged := []byte("forged")
	record := make([]byte, headerBytes, headerBytes+len(forged))
	header{length: uint32(len(forged)), sum: crc32.Checksum(forged, castagnoli)}.encode(record, position{number: 1})
	record = append(record, forged...)
	disk := stored(t, string(record), "next")
	data := disk.File(firstSegment).Data
	data[0]++
	assert.Equal(t, []string{"next"}, drained(t, reopened(t, disk)))
}

// TestDamageWhileOpen damages records and deletes a segment while the queue is open.
func TestDamageWhileOpen(t *testing.T) {
	disk := newMemory()
	q := reopened(t, disk)
	add(t, q, "rec 1", "rec 2", "rec 3", "rec 4", "rec 5", "rec 6", "rec 7", "rec 8")
	disk.File(firstSegment).Data[headerBytes]++
	disk.Delete("queue/00000000000000000002.segment")
	assert.Equal(t, []string{"rec 2"}, texts(t, q, math.MaxInt), "up to the damage")
	assert.Equal(t, []string{"rec 2"}, texts(t, q, math.MaxInt), "again")
	numbers := q.Stats()
	assert.EqualValues(t, headerBytes+5, numbers.Damaged)
	assert.Equal(t, 7, numbers.Records)
	assert.Equal(t, 7, numbers.Items)
	disk.File("queue/00000000000000000004.segment").Data[headerBytes]++
	assert.Equal(t, []string{"rec 2", "rec 5", "rec 6", "rec 8"}, drained(t, q))
	assert.Equal(t, Stats{Damaged: 4 * (headerBytes + 5)}, q.Stats())
	assert.Empty(t, disk.segments())
}

func TestHead(t *testing.T) {
	slot := func(i int) func(*memory) {
		return func(disk *memory) { disk.File("queue/head").Data[i*slotDistance]++ }
	}
	f := func(name, first string, lost bool, harm func(*memory)) {
		t.Helper()
		disk := stored(t, "rec 1", "rec 2", "rec 3", "rec 4")
		q := reopened(t, disk)
		texts(t, q, 100)
		require.NoError(t, q.Remove(1)) // in slot 1
		require.NoError(t, q.Close())
		harm(disk)
		q, recovery, err := open(Settings{Directory: "queue", MaxBytes: mebibyte}, disk)
		require.NoError(t, err)
		assert.Equal(t, lost, recovery.HeadLost, name)
		assert.Equal(t, first, texts(t, q, 0)[0], name)
		require.NoError(t, q.Remove(1))
		require.NoError(t, q.Close())
		rest := drained(t, reopened(t, disk))
		assert.Equal(t, "rec 4", rest[len(rest)-1], name)
		assert.NotContains(t, rest, first, name)
	}
	f("whole", "rec 2", false, func(*memory) {})
	f("the older slot damaged", "rec 2", false, slot(0))
	f("the newer slot damaged", "rec 1", false, slot(1))
	f("both damaged", "rec 1", true, func(disk *memory) { slot(0)(disk); slot(1)(disk) })
	f("cut", "rec 1", false, func(disk *memory) { disk.File("queue/head").Data = disk.File("queue/head").Data[:100] })
	f("empty", "rec 1", true, func(disk *memory) { disk.File("queue/head").Data = nil })
	f("deleted", "rec 1", false, func(disk *memory) { disk.Delete("queue/head") })
	f("its segment is deleted", "rec 3", false, func(disk *memory) { disk.Delete(firstSegment) })
}

// TestBadSectors reads a disk with errors. A record that cannot be read is left out once the ones behind
// it can be.
func TestBadSectors(t *testing.T) {
	f := func(name string, bad func(at int64) bool, want ...string) {
		t.Helper()
		disk := stored(t, "rec 1", "rec 2", "rec 3")
		disk.File(firstSegment).Bad = func(at int64) error {
			if bad(at) {
				return syscall.EIO
			}
			return nil
		}
		q, _, err := open(Settings{Directory: "queue", MaxBytes: mebibyte}, disk)
		require.NoError(t, err)
		for range readAttempts - 1 {
			_, err := q.Peek(100)
			assert.ErrorIs(t, err, syscall.EIO, name)
		}
		assert.Equal(t, want, drained(t, q), name)
		assert.Empty(t, disk.segments(), name)
	}
	f("payload", func(at int64) bool { return at == headerBytes }, "rec 2", "rec 3")
	f("header", func(at int64) bool { return at < 10 }, "rec 3") // a block is left out
	f("segment", func(int64) bool { return true }, "rec 3")

	// What is behind the block in the same segment comes. The second long record begins in the block.
	disk := newMemory()
	settings := Settings{Directory: "queue", MaxBytes: mebibyte}
	q, _, err := open(settings, disk)
	require.NoError(t, err)
	long := strings.Repeat("x", blockBytes)
	add(t, q, long, "rec 2", long, "rec 4")
	require.NoError(t, q.Close())
	disk.File(firstSegment).Bad = func(at int64) error {
		if at >= headerBytes+blockBytes && at < headerBytes+blockBytes+10 {
			return syscall.EIO
		}
		return nil
	}
	q, recovery, err := open(settings, disk)
	require.NoError(t, err)
	assert.Equal(t, 2, recovery.Records)
	assert.ErrorIs(t, recovery.ReadError, syscall.EIO)
	assert.Len(t, texts(t, q, 100), 1)
	require.NoError(t, q.Remove(1))
	for range readAttempts - 1 {
		_, err := q.Peek(100)
		assert.ErrorIs(t, err, syscall.EIO)
	}
	assert.Equal(t, []string{"rec 4"}, drained(t, q))
}

// TestDiskAway fails every read. Nothing is left out, and all records come when the disk is back.
func TestDiskAway(t *testing.T) {
	disk := stored(t, "rec 1", "rec 2", "rec 3")
	away := true
	for _, path := range disk.segments() {
		disk.File(path).Bad = func(int64) error {
			if away {
				return syscall.EIO
			}
			return nil
		}
	}
	q, recovery, err := open(Settings{Directory: "queue", MaxBytes: mebibyte}, disk)
	require.NoError(t, err)
	assert.ErrorIs(t, recovery.ReadError, syscall.EIO)
	assert.False(t, q.Empty())
	for range 3 * readAttempts {
		_, err := q.Peek(100)
		assert.ErrorIs(t, err, syscall.EIO)
	}
	add(t, q, "rec 4")
	away = false
	assert.Equal(t, []string{"rec 1", "rec 2", "rec 3", "rec 4"}, drained(t, q))
}

func TestNoSpace(t *testing.T) {
	assert.ErrorIs(t, noSpace(syscall.EDQUOT), ErrNoSpace)
	assert.NotErrorIs(t, noSpace(errors.ErrUnsupported), ErrNoSpace)
}
