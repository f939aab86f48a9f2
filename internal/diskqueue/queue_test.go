// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/explore"
)

const mebibyte = 1 << 20

// opened opens a queue until the test ends.
func opened(t testing.TB, settings Settings) *Queue {
	t.Helper()
	q, _, err := Open(settings)
	require.NoError(t, err)
	t.Cleanup(func() { _ = q.Close() })
	return q
}

// add appends texts as records of one item.
func add(t testing.TB, q *Queue, texts ...string) {
	t.Helper()
	for _, text := range texts {
		require.NoError(t, q.Append([]byte(text), 1))
	}
}

// texts returns the payloads that Peek returns.
func texts(t testing.TB, q *Queue, maxBytes int) (texts []string) {
	t.Helper()
	records, err := q.Peek(maxBytes)
	require.NoError(t, err)
	for _, r := range records {
		texts = append(texts, string(r.Payload))
	}
	return texts
}

func TestRecordsComeInOrder(t *testing.T) {
	q := opened(t, Settings{Directory: t.TempDir(), MaxBytes: mebibyte})
	before := time.Now()
	require.NoError(t, q.Append([]byte("first"), 5))
	require.NoError(t, q.Append(nil, 0))
	require.NoError(t, q.Append([]byte("third"), 7))
	records, err := q.Peek(5)
	require.NoError(t, err)
	require.Len(t, records, 2, "the second has no payload")
	assert.Equal(t, "first", string(records[0].Payload))
	assert.Equal(t, 5, records[0].Items)
	assert.WithinRange(t, records[0].Time, before, time.Now())
	s := q.Stats()
	assert.True(t, s.Oldest.Equal(records[0].Time))
	assert.Equal(t, Stats{Records: 3, Items: 12, Bytes: 3*headerBytes + 10, OnDisk: 3*headerBytes + 10, Oldest: s.Oldest}, s)
	require.NoError(t, q.Remove(1))
	assert.Equal(t, []string{"", "third"}, texts(t, q, 5))
	assert.EqualValues(t, 2*headerBytes+5, q.Stats().Bytes)
	assert.EqualValues(t, 3*headerBytes+10, q.Stats().OnDisk)
	assert.ErrorContains(t, q.Remove(3), "must be from 0 to 2, what Peek returned (got 3)")
	assert.ErrorContains(t, q.Remove(-1), "(got -1)")
	require.NoError(t, q.Remove(2))
	assert.Empty(t, texts(t, q, 5))
	assert.Error(t, q.Remove(1), "nothing was peeked")
}

// TestEmptyQueuesHaveNoData checks which files there are, and who may read them.
func TestEmptyQueuesHaveNoData(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "a", "b")
	q := opened(t, Settings{Directory: directory, MaxBytes: mebibyte, SegmentBytes: 10})
	names := func() (names []string) {
		entries, err := os.ReadDir(directory)
		require.NoError(t, err)
		for _, entry := range entries {
			names = append(names, entry.Name())
			if info, err := entry.Info(); runtime.GOOS != "windows" {
				require.NoError(t, err)
				assert.Equal(t, os.FileMode(0o600), info.Mode(), entry.Name())
			}
		}
		return names
	}
	assert.Equal(t, []string{"lock"}, names())
	assert.True(t, q.Empty())
	add(t, q, "first", "second")
	assert.Equal(t, []string{"00000000000000000001.segment", "00000000000000000002.segment", "head", "lock"}, names())
	assert.False(t, q.Empty())
	assert.Len(t, texts(t, q, 100), 2)
	require.NoError(t, q.Remove(1))
	assert.Equal(t, []string{"00000000000000000002.segment", "head", "lock"}, names())
	require.NoError(t, q.Remove(1))
	assert.Equal(t, []string{"head", "lock"}, names())
	assert.True(t, q.Empty())
	if info, err := os.Stat(directory); runtime.GOOS != "windows" {
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	}
	require.NoError(t, q.Close())

	q = opened(t, Settings{Directory: directory, MaxBytes: mebibyte})
	add(t, q, "third")
	assert.Equal(t, []string{"00000000000000000003.segment", "head", "lock"}, names(), "no number comes again")
}

func TestLimits(t *testing.T) {
	settings := Settings{Directory: t.TempDir(), MaxBytes: 110, SegmentBytes: 10}
	q := opened(t, settings)
	require.NoError(t, q.Append(make([]byte, 50), 1))
	assert.NoError(t, q.Room(1, 0))
	require.NoError(t, q.Append(nil, 1))
	for _, err := range []error{q.Append(nil, 1), q.Room(1, 0)} {
		assert.ErrorIs(t, err, ErrFull)
		assert.ErrorContains(t, err, fmt.Sprintf("%s has 106 bytes, the record has 28, and max_bytes is 110", settings.Directory))
	}
	assert.ErrorIs(t, q.Append(make([]byte, 83), 1), ErrTooLarge)
	require.NoError(t, q.Close())

	settings.MinFreeBytes = 1 << 60
	q = opened(t, settings)
	assert.Len(t, texts(t, q, 100), 2)
	require.NoError(t, q.Remove(2))
	for _, err := range []error{q.Append(nil, 1), q.Room(1, 0)} {
		assert.ErrorIs(t, err, ErrNoSpace)
		assert.ErrorContains(t, err, "free bytes, the record has 28, and min_free_bytes is 1152921504606846976")
	}
}

func TestOneProcessOnly(t *testing.T) {
	settings := Settings{Directory: t.TempDir(), MaxBytes: mebibyte}
	q := opened(t, settings)
	_, _, err := Open(settings)
	assert.ErrorContains(t, err, filepath.Join(settings.Directory, "lock")+" is locked, another process or component uses it")
	require.NoError(t, q.Close())
	opened(t, settings)
}

func TestClosed(t *testing.T) {
	q := opened(t, Settings{Directory: t.TempDir(), MaxBytes: mebibyte})
	add(t, q, "first")
	assert.Len(t, texts(t, q, 100), 1)
	require.NoError(t, q.Close())
	require.NoError(t, q.Close())
	_, err := q.Peek(1)
	assert.ErrorIs(t, err, os.ErrClosed)
	_, err = q.Begin()
	assert.ErrorIs(t, err, os.ErrClosed)
	assert.ErrorIs(t, q.Append(nil, 1), os.ErrClosed)
	assert.ErrorIs(t, q.Remove(1), os.ErrClosed)
	assert.ErrorIs(t, q.End(), os.ErrClosed)
}

// TestManyAppend appends from several goroutines while one consumes and one reads the numbers.
func TestManyAppend(t *testing.T) {
	q := opened(t, Settings{Directory: t.TempDir(), MaxBytes: 100 * mebibyte, SegmentBytes: 5000})
	const writers, each = 4, 250
	var wg, numbers sync.WaitGroup
	for writer := range writers {
		wg.Go(func() {
			for i := range each {
				payload := append([]byte{byte(writer), byte(i)}, bytes.Repeat([]byte{byte(i)}, i)...)
				assert.NoError(t, q.Append(payload, 1))
			}
		})
	}
	stop := make(chan struct{})
	numbers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				assert.LessOrEqual(t, q.Stats().Records, writers*each)
			}
		}
	})
	var next [writers]int
	for got := 0; got < writers*each; {
		records, err := q.Peek(2000)
		require.NoError(t, err)
		_, err = q.Begin()
		require.NoError(t, err)
		for _, r := range records {
			writer, i := r.Payload[0], int(r.Payload[1])
			require.Equal(t, next[writer], i)
			require.Equal(t, bytes.Repeat([]byte{byte(i)}, i), r.Payload[2:])
			next[writer]++
		}
		require.NoError(t, q.Remove(len(records)))
		got += len(records)
	}
	close(stop)
	numbers.Wait()
	wg.Wait()
	assert.Equal(t, Stats{}, q.Stats())
}

// memory is a disk with a process that uses it, which can die at every byte that it writes and at every other change.
type memory struct {
	*explore.Disk
	process *explore.Process

	steps    int // changes and bytes written
	deadline int // the process dies instead of this step
	faults   *rand.Rand
	failing  int // the next changes fail, and writes are complete all the same
	failed   int // changes that failed because of faults
	unclean  int // of these, those of truncating and deleting
}

func newMemory() *memory { return memoryOf(explore.NewDisk()) }

func memoryOf(disk *explore.Disk) *memory {
	m := &memory{Disk: disk}
	m.restart(math.MaxInt)
	return m
}

// open opens a queue on a disk.
func open(settings Settings, m *memory) (*Queue, Recovery, error) {
	settings.Files = m.process
	return Open(settings)
}

// restart kills the process, and starts one that dies after some steps.
func (m *memory) restart(steps int) {
	if m.process != nil {
		m.process.Kill()
	}
	m.process = m.Process()
	m.process.Decide = m.decide
	m.steps, m.deadline = 0, steps
}

func (m *memory) dead() bool { return m.process.Dead() }

func (m *memory) segments() []string { return m.Paths(extension) }

// opening reports whether a call is about the directory itself, which stays as it is.
func (m *memory) opening(c explore.Call) bool {
	return c.Name == "mkdir" || c.Name == "lock" || c.Name == "sync directory" && c.Path == "."
}

func (m *memory) decide(c explore.Call) explore.Fate {
	if m.opening(c) {
		return explore.Fate{}
	}
	steps := max(c.Bytes, 1)
	if m.steps += steps; m.steps > m.deadline {
		return explore.Fate{Dies: true, Bytes: steps - (m.steps - m.deadline)}
	}
	if m.failing <= 0 && (m.faults == nil || m.faults.IntN(10) > 0) {
		return explore.Fate{}
	}
	m.failing--
	m.failed++
	if c.Name == "truncate" || c.Name == "remove" {
		m.unclean++
	}
	written := c.Bytes
	if m.faults != nil {
		written = m.faults.IntN(c.Bytes + 1)
	}
	return explore.Fate{Err: syscall.EIO, Bytes: written}
}
