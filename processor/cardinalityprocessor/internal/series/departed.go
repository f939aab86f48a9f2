// SPDX-License-Identifier: Apache-2.0

package series

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// departed is a Bloom filter of a metric's expired streams. When one of them returns, its
// earlier increments must not count again. If the filter takes a new stream for a returned
// one, the stream's first value is only a baseline. The zero value is empty. Snapshots store
// the fields under these names.
type departed struct {
	Bits   []uint64 // a power of two
	Count  int
	Merged bool              // a stream was merged with others
	Last   pcommon.Timestamp // the latest time of the streams
}

const (
	// The least and the greatest number of words of a filter. Each 16 bits of a hash select
	// one bit.
	minDeparted = 1 << 3
	maxDeparted = 1 << 10
	// departedShare is the number of streams for one word: false positives stay under 3 %.
	departedShare = 8
	// mergedSalt changes the key of a stream to add it a second time if it was merged with
	// others.
	mergedSalt = 0x9E3779B97F4A7C15
)

// newDeparted returns a filter for a metric with a number of series, and its memory.
func newDeparted(series int) (d *departed, bytes int) {
	words := minDeparted
	for words < maxDeparted && words*departedShare < 2*series {
		words *= 2
	}
	d = &departed{Bits: make([]uint64, words)}
	return d, d.bytes()
}

// validate checks what a snapshot had.
func (d *departed) validate() error {
	if words := len(d.Bits); words < minDeparted || words > maxDeparted || words&(words-1) != 0 {
		return fmt.Errorf("departed: must have a power of two from %d to %d words (got %d)", minDeparted, maxDeparted, words)
	}
	return nil
}

// bytes returns the memory of a filter, which may be nil.
func (d *departed) bytes() int {
	if d == nil {
		return 0
	}
	return int(unsafe.Sizeof(*d)) + 8*len(d.Bits)
}

// full reports whether the filter has to be cleared.
func (d *departed) full() bool { return d.Count >= departedShare*len(d.Bits) }

// add adds a stream by the lower half of its identity.
func (d *departed) add(key uint64, last pcommon.Timestamp) {
	for i := range 4 {
		bit := key >> (16 * i) % uint64(64*len(d.Bits))
		d.Bits[bit/64] |= 1 << (bit % 64)
	}
	d.Count++
	d.Last = max(d.Last, last)
}

// has reports whether a stream may have expired before. A stream that started after the last
// of them ended is new.
func (d *departed) has(key uint64, start pcommon.Timestamp) bool {
	if d == nil || d.Count == 0 || start > d.Last {
		return false
	}
	for i := range 4 {
		bit := key >> (16 * i) % uint64(64*len(d.Bits))
		if d.Bits[bit/64]&(1<<(bit%64)) == 0 {
			return false
		}
	}
	return true
}

// watermarks hold the times of removed metrics in constant memory: 12 bits of the identity
// select the slot. If a new metric shares the slot of a removed one, the first values of
// streams that started before are only baselines.
type watermarks [1 << 12]struct {
	// since and merged are those of the removed metrics, but not later than the removal;
	// 0 for none.
	since, merged atomic.Uint64
	// ended is that of the metric that was removed last, by its sender's clock. owner is
	// the upper half of its identity.
	ended, owner atomic.Uint64
}

// watermark is the stored state of one slot.
type watermark struct{ Since, Merged, Ended, Owner uint64 }

// times returns the times that a new metric takes over.
func (w *watermarks) times(id attrhash.Hash) (since, merged, ended pcommon.Timestamp) {
	slot := &w[id.Lo%uint64(len(w))]
	if slot.owner.Load() == id.Hi {
		ended = pcommon.Timestamp(slot.ended.Load())
	}
	return pcommon.Timestamp(slot.since.Load()), pcommon.Timestamp(slot.merged.Load()), ended
}

// record records the times of a metric that is removed now.
func (w *watermarks) record(id attrhash.Hash, now, since, merged, ended pcommon.Timestamp) {
	slot := &w[id.Lo%uint64(len(w))]
	raise(&slot.since, min(since, now))
	raise(&slot.merged, min(merged, now))
	slot.ended.Store(uint64(ended))
	slot.owner.Store(id.Hi)
}

// state returns the slots in use, by index.
func (w *watermarks) state() map[int]watermark {
	all := map[int]watermark{}
	for i := range w {
		if since := w[i].since.Load(); since != 0 {
			all[i] = watermark{since, w[i].merged.Load(), w[i].ended.Load(), w[i].owner.Load()}
		}
	}
	return all
}

// set replaces all slots.
func (w *watermarks) set(all map[int]watermark) {
	for i := range w {
		w[i].since.Store(all[i].Since)
		w[i].merged.Store(all[i].Merged)
		w[i].ended.Store(all[i].Ended)
		w[i].owner.Store(all[i].Owner)
	}
}

// raise sets a time to the later one of the two.
func raise(t *atomic.Uint64, to pcommon.Timestamp) {
	for {
		old := t.Load()
		if uint64(to) <= old || t.CompareAndSwap(old, uint64(to)) {
			return
		}
	}
}
