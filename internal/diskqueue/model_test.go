// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

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
