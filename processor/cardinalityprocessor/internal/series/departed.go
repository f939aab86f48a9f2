package series

import (
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// departed remembers which streams a metric has forgotten: should one come back, it
// must not count again what it had counted. It is a Bloom filter: now and then it
// takes a new stream for one that comes back, which then only begins counting
// later. The zero value remembers nothing.
type departed struct {
	Bits  []uint64 // none, or departedBits of them
	Count int
	// Merged: some of what is remembered was merged with other streams.
	Merged bool
	Last   pcommon.Timestamp // the latest time of what is remembered
}

const (
	departedBits = 1 << 16 // 16 bits of a hash say which
	// maxDeparted keeps mistakes under 3 %.
	maxDeparted   = 1 << 13
	departedBytes = departedBits / 8
	// mergedAway tells streams that were merged with other streams from those that only
	// had a place of their own.
	mergedAway = 0x9E3779B97F4A7C15
)

// add remembers a stream by the lower half of its identity.
func (d *departed) add(key uint64, last pcommon.Timestamp) {
	for i := range 4 {
		bit := key >> (16 * i) % departedBits
		d.Bits[bit/64] |= 1 << (bit % 64)
	}
	d.Count++
	d.Last = max(d.Last, last)
}

// has reports whether a stream with a start may be one of those. One that started
// after the last of them had ended is new.
func (d *departed) has(key uint64, start pcommon.Timestamp) bool {
	if d.Count == 0 || start > d.Last {
		return false
	}
	for i := range 4 {
		bit := key >> (16 * i) % departedBits
		if d.Bits[bit/64]&(1<<(bit%64)) == 0 {
			return false
		}
	}
	return true
}

// watermarks are times, by a part of the metrics' identities: what is left of
// metrics that were removed, in memory that does not grow. A metric that shares its
// part with one that was removed takes some of its streams for ones that come back.
type watermarks [1 << 12]struct {
	// since is the last time of what was removed, and merged that of what had merged
	// streams, both no later than the removal; 0 for none.
	since, merged atomic.Uint64
	// ended is the last time of the metric that was removed last, by its sender's clock.
	ended, owner atomic.Uint64
}

// watermark is what is left of one metric.
type watermark struct{ Since, Merged, Ended, Owner uint64 }

func (w *watermarks) of(id attrhash.Hash) (since, merged, ended pcommon.Timestamp) {
	slot := &w[id.Lo%uint64(len(w))]
	if slot.owner.Load() == id.Hi {
		ended = pcommon.Timestamp(slot.ended.Load())
	}
	return pcommon.Timestamp(slot.since.Load()), pcommon.Timestamp(slot.merged.Load()), ended
}

// leave notes the last times of a metric that is removed now.
func (w *watermarks) leave(id attrhash.Hash, now, since, merged, ended pcommon.Timestamp) {
	slot := &w[id.Lo%uint64(len(w))]
	raise(&slot.since, min(since, now))
	raise(&slot.merged, min(merged, now))
	slot.ended.Store(uint64(ended))
	slot.owner.Store(id.Hi)
}

// state is what a snapshot holds: those that are not 0, by their number.
func (w *watermarks) state() map[int]watermark {
	all := map[int]watermark{}
	for i := range w {
		if since := w[i].since.Load(); since != 0 {
			all[i] = watermark{since, w[i].merged.Load(), w[i].ended.Load(), w[i].owner.Load()}
		}
	}
	return all
}

// set makes them those of a snapshot.
func (w *watermarks) set(all map[int]watermark) {
	for i := range w {
		w[i].since.Store(all[i].Since)
		w[i].merged.Store(all[i].Merged)
		w[i].ended.Store(all[i].Ended)
		w[i].owner.Store(all[i].Owner)
	}
}

// raise makes a time at least as late as another.
func raise(t *atomic.Uint64, to pcommon.Timestamp) {
	for {
		old := t.Load()
		if uint64(to) <= old || t.CompareAndSwap(old, uint64(to)) {
			return
		}
	}
}
