// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/explore"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// state is what is known of an entry of the plain list.
type state int

const (
	present state = iota // Peek returns it, now and after a restart
	pending              // its Append did not return nil: it may come after a restart
	leaving              // its Remove did not return nil: it may come after a restart
)

type entry struct {
	id    uint64
	size  int
	items int
	state state
}

func (e entry) payload() []byte {
	b := make([]byte, e.size)
	filler := rand.NewChaCha8([32]byte{byte(e.id), byte(e.id >> 8), byte(e.id >> 16)})
	_, _ = filler.Read(b)
	if e.size >= 8 {
		binary.BigEndian.PutUint64(b, e.id)
	}
	return b
}

// history compares a queue with a plain list.
type history struct {
	t        *testing.T
	settings Settings
	disk     *memory
	q        *Queue
	list     []entry
	last     uint64 // id of the last entry
	deaths   int    // what Begin must return
	// saved holds the deaths that may be on disk for a head, by the id of the record at the head.
	saved   map[uint64][]int
	damaged bool // the disk was damaged, so that numbers may differ
}

func newHistory(t *testing.T, settings Settings) *history {
	h := &history{t: t, settings: settings, disk: newMemory(), saved: map[uint64][]int{}}
	h.settings.Directory = "queue"
	return h
}

// present returns the entries that Peek must return.
func (h *history) present() []entry {
	return slices.DeleteFunc(slices.Clone(h.list), func(e entry) bool { return e.state != present })
}

func (h *history) head() uint64 {
	if entries := h.present(); len(entries) > 0 {
		return entries[0].id
	}
	return 0
}

// failures calls f, and returns how many faults there were meanwhile, and how many of cleaning up.
func (h *history) failures(f func()) (failed, unclean int) {
	failed, unclean = h.disk.failed, h.disk.unclean
	f()
	return h.disk.failed - failed, h.disk.unclean - unclean
}

func (h *history) append(size, items int) {
	h.last++
	e := entry{id: h.last, size: size, items: items}
	first := h.head() == 0
	var err error
	failed, unclean := h.failures(func() { err = h.q.Append(e.payload(), items) })
	record := headerBytes + int64(size)
	switch {
	case err == nil:
		if first {
			h.deaths = 0
		}
		h.list = append(h.list, e)
	case h.disk.dead() || unclean > 0:
		e.state = pending
		h.list = append(h.list, e)
	case errors.Is(err, ErrTooLarge):
		require.Greater(h.t, record, h.settings.MaxBytes)
	case errors.Is(err, ErrFull):
		require.Greater(h.t, h.q.Stats().OnDisk+record, h.settings.MaxBytes)
	case errors.Is(err, ErrNoSpace):
		require.Less(h.t, h.disk.Capacity, int64(math.MaxInt64))
	default:
		require.Positive(h.t, failed, "%v", err)
	}
}

// peek returns how many records it got.
func (h *history) peek(maxBytes int) int {
	records, err := h.q.Peek(maxBytes)
	if h.disk.dead() {
		return 0
	}
	require.NoError(h.t, err)
	entries := h.present()
	require.LessOrEqual(h.t, len(records), len(entries))
	sum := 0
	for i, r := range records {
		require.Equal(h.t, entries[i].payload(), r.Payload, "record %d", entries[i].id)
		require.Equal(h.t, entries[i].items, r.Items)
		sum += len(r.Payload)
		require.True(h.t, i == 0 || sum <= maxBytes)
	}
	if len(entries) > 0 {
		require.NotEmpty(h.t, records)
	}
	if !h.damaged && len(records) > 0 {
		require.True(h.t, h.q.Stats().Oldest.Equal(records[0].Time))
		require.True(h.t, len(records) == len(entries) || sum+entries[len(records)].size > maxBytes, "fewer than possible")
	}
	return len(records)
}

func (h *history) remove(n int) {
	var err error
	failed, _ := h.failures(func() { err = h.q.Remove(n) })
	if n == 0 {
		return
	}
	last := 0
	for i := range h.list {
		if n > 0 && h.list[i].state == present {
			h.list[i].state = leaving
			n, last = n-1, i
		}
	}
	if err == nil {
		h.list = h.list[last+1:]
		h.saved = map[uint64][]int{}
	} else if !h.disk.dead() {
		require.Positive(h.t, failed, "%v", err)
	}
	h.deaths = 0
}

func (h *history) begin() {
	// A damaged head is left out first.
	if h.peek(0) == 0 {
		return
	}
	deaths, err := h.q.Begin()
	if h.disk.dead() || err != nil {
		h.saved[h.head()] = append(h.saved[h.head()], h.deaths, h.deaths+1)
		return
	}
	require.Equal(h.t, h.deaths, deaths)
	h.saved = map[uint64][]int{h.head(): {deaths + 1}}
}

func (h *history) end(f func() error) {
	if f() != nil {
		h.saved[h.head()] = append(h.saved[h.head()], h.deaths, h.deaths+1)
	} else if h.head() != 0 {
		h.saved = map[uint64][]int{h.head(): {h.deaths}}
	}
}

// reopen opens the queue until it does not die meanwhile, and compares what is in it with the list.
func (h *history) reopen(steps func() int) {
	for {
		h.disk.restart(steps())
		var err error
		var found Recovery
		if h.q, found, err = open(h.settings, h.disk); err == nil && !h.disk.dead() {
			require.NoError(h.t, found.ReadError)
			require.Equal(h.t, found.Records, h.q.records)
			break
		}
		require.True(h.t, h.disk.dead(), "%v", err)
	}
	payloads, deaths := h.drainedCopy()
	var list []entry
	left := false // an entry that is leaving is here, so the head is before all others
	for i, e := range h.list {
		if len(list) < len(payloads) && bytes.Equal(payloads[len(list)], e.payload()) {
			left = left || e.state == leaving
			e.state = present
			list = append(list, e)
			continue
		}
		require.NotEqual(h.t, present, e.state, "record %d is missing", e.id)
		// With faults, a segment can be deleted when the one before it could not.
		require.False(h.t, left && e.state == leaving && h.disk.failed == 0, "record %d is missing, and one before it is not", h.list[i].id)
	}
	require.Len(h.t, payloads, len(list), "there are others than %v", h.list)
	h.list = list
	possible, known := h.saved[h.head()]
	if !known {
		possible = []int{0}
	}
	require.Contains(h.t, possible, deaths)
	h.deaths, h.saved = deaths, map[uint64][]int{h.head(): {deaths}}
}

// drainedCopy returns all that is in a copy of the queue, and the deaths of its head.
func (h *history) drainedCopy() (payloads [][]byte, deaths int) {
	disk := memoryOf(h.disk.Clone())
	q, _, err := open(h.settings, disk)
	require.NoError(h.t, err)
	for first := true; ; first = false {
		records, err := q.Peek(1 << 10)
		require.NoError(h.t, err)
		if first {
			deaths, err = q.Begin()
			require.NoError(h.t, err)
		}
		if len(records) == 0 {
			break
		}
		for _, r := range records {
			payloads = append(payloads, r.Payload)
		}
		require.NoError(h.t, q.Remove(len(records)))
	}
	require.Empty(h.t, disk.segments())
	require.Equal(h.t, Stats{Damaged: q.Stats().Damaged}, q.Stats())
	return payloads, deaths
}

func (h *history) checkStats() {
	entries, items := h.present(), 0
	for _, e := range entries {
		items += e.items
	}
	s := h.q.Stats()
	require.Equal(h.t, len(h.q.segments) == 0, s.Bytes == 0)
	if len(h.q.stale) == 0 {
		require.Len(h.t, h.disk.segments(), len(h.q.segments))
	}
	if !h.damaged {
		require.Equal(h.t, len(entries), s.Records)
		require.Equal(h.t, items, s.Items)
	}
	if !h.damaged && h.disk.unclean == 0 {
		require.Zero(h.t, s.Damaged)
	}
}

// find returns the segment of an entry and its offset in it.
func (h *history) find(e entry) (*explore.Inode, int) {
	for _, path := range h.disk.segments() {
		n := h.disk.File(path)
		if at := bytes.Index(n.Data, e.payload()); at >= 0 && e.size >= 8 {
			return n, at - headerBytes
		}
	}
	require.Fail(h.t, fmt.Sprintf("record %d is in no segment", e.id))
	return nil, 0
}

// TestHistories plays random histories: records are appended and removed, attempts begin and end, the
// process dies at any byte that it writes, the disk fills up, fails, and loses bytes.
func TestHistories(t *testing.T) {
	for seed := range uint64(soak.Count(t, "TC_HISTORIES", 400)) {
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { play(t, rand.New(rand.NewPCG(seed, 23))) }) {
			return
		}
	}
}

func play(t *testing.T, r *rand.Rand) {
	h := newHistory(t, Settings{
		MaxBytes:     []int64{300, 4000, 200_000}[r.IntN(3)],
		MinFreeBytes: []int64{0, 0, 200}[r.IntN(3)],
		SegmentBytes: []int64{1, 100, 1000, 50_000}[r.IntN(4)],
		Sync:         r.IntN(4) == 0,
	})
	dies, full, damage, faults := r.IntN(2) == 0, r.IntN(3) == 0, r.IntN(3) == 0, r.IntN(4) == 0
	steps := func() int {
		if !dies || r.IntN(4) == 0 {
			return math.MaxInt
		}
		return r.IntN([]int{20, 300, 10_000}[r.IntN(3)])
	}
	h.reopen(steps)
	if faults {
		h.disk.faults = r
	}
	for range 20 + r.IntN(100) {
		switch r.IntN(12) {
		default:
			size := 8 + r.IntN(60)
			if r.IntN(8) == 0 {
				size = 8 + r.IntN(2*windowBytes)
			}
			h.append(size, r.IntN(100))
		case 5, 6:
			h.peek(r.IntN(200))
		case 7, 8:
			n := h.peek(r.IntN(300))
			if !h.disk.dead() {
				h.remove(r.IntN(n + 1))
			}
		case 9:
			h.begin()
		case 10:
			h.end(h.q.End)
		case 11:
			switch {
			case full:
				h.disk.Capacity = h.disk.Used() + int64(r.IntN(300))
				if r.IntN(2) == 0 {
					h.disk.Capacity = math.MaxInt64
				}
			case damage:
				if h.end(h.q.Close); !h.disk.dead() {
					h.harm(r)
					h.reopen(steps)
				}
			case r.IntN(2) == 0:
				h.end(h.q.Close)
				h.reopen(steps)
			default: // killed between two calls
				h.reopen(steps)
			}
		}
		if h.disk.dead() {
			h.reopen(steps)
		}
		h.checkStats()
	}
	h.disk.faults, h.disk.Capacity = nil, math.MaxInt64
	h.reopen(func() int { return math.MaxInt })
}

// harm cuts off the end of the newest segment, or changes a bit of a record. The list loses exactly the
// records that it hits.
func (h *history) harm(r *rand.Rand) {
	h.damaged = true
	paths := h.disk.segments()
	if len(paths) == 0 {
		return
	}
	if entries := h.present(); len(entries) > 0 && r.IntN(2) == 0 {
		hit := entries[r.IntN(len(entries))]
		n, at := h.find(hit)
		n.Data[at+r.IntN(headerBytes+hit.size)] ^= 1 << r.IntN(8)
		h.list = slices.DeleteFunc(h.list, func(e entry) bool { return e == hit })
		return
	}
	newest := h.disk.File(paths[len(paths)-1])
	size := len(newest.Data) - r.IntN(min(len(newest.Data), 200)+1)
	h.list = slices.DeleteFunc(h.list, func(e entry) bool {
		if e.state != present {
			return false
		}
		n, at := h.find(e)
		return n == newest && at+headerBytes+e.size > size
	})
	newest.Data = newest.Data[:size]
}
