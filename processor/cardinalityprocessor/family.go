package cardinalityprocessor

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// family is one metric of one resource and scope: the series that share a limit.
type family struct {
	id      attrhash.Hash
	plan    *plan
	service *service

	mu   sync.Mutex // guards what follows
	gone bool       // removed from the processor's families; look again
	// series are the distinct attribute sets that have a place within the limit. An
	// entry's ref is its output, from 1, or 0 where there is none to look after.
	series   table
	tracked  tracked // nil until a point had to be looked after
	overflow uint32  // the output of all that is past the limit, from 1; 0 for none
	departed departed
	// since is the time before which any stream that comes for the first time may
	// have been counted already; merged before which any may have been merged.
	since, merged pcommon.Timestamp
	// ended is the latest time of the outputs that were removed. What is made in
	// their place comes after it.
	ended    pcommon.Timestamp
	sketch   *sketch   // of the demand, once a limit is near
	reported time.Time // when the demand was last
}

// tracked is a tracker, whatever its points measure.
type tracked interface {
	// count is the streams in all; live those of an output, from 1, that have not
	// ended.
	count() int
	live(output uint32) int
	// expire removes the streams that no point came for since an epoch, which gone is
	// told, and the outputs without any. It returns the latest time of these, the
	// memory that all took, and how many outputs were owed something.
	expire(oldest uint32, gone func(key uint64, last pcommon.Timestamp, merged bool)) (ended pcommon.Timestamp, bytes, lost int)
	// removed tells whether an output, from 1, is.
	removed(output uint32) bool
	// compact gives unused memory back, if that is much. It returns the new numbers of
	// the outputs, from 1, or nil where nothing moved.
	compact() []uint32
	// takeBack makes what was sent of an output part of what it sends next. It returns
	// false when that is not possible any more.
	takeBack(sent *sentOutput) bool
	// state is what a snapshot holds.
	state() *trackerState
}

// admit gives a new attribute set a place, or says which budget has none.
func (f *family) admit() (full rule, ok bool) {
	if f.series.count >= f.plan.limit {
		return ruleLimit, false
	}
	return f.service.admit()
}

// nearLimit tells whether four fifths of the limit are taken.
func (f *family) nearLimit() bool { return 5*f.series.count >= 4*f.plan.limit }

// near tells which budget four fifths are taken of, if any.
func (f *family) near() (full rule, near bool) {
	switch {
	case f.nearLimit():
		return ruleLimit, true
	case f.service.limit > 0 && 5*f.service.series.Load() >= 4*f.service.limit:
		return ruleServiceLimit, true
	case 5*f.service.memory.used.Load() >= 4*f.service.memory.limit:
		return ruleMemory, true
	}
	return 0, false
}

// demand is about how many series want a place.
func (f *family) demand() int {
	past := f.sketch.refused()
	if f.overflow != 0 {
		past = max(past, f.tracked.live(f.overflow))
	}
	return f.series.count + past
}

// wasMerged tells whether a stream may have been merged with others before, so that
// it must not come back whole.
func (f *family) wasMerged(key uint64, start pcommon.Timestamp) bool {
	return f.merged != 0 && start <= f.merged || f.departed.has(key^mergedAway, start)
}

// forget remembers that a stream is gone: by itself where there is memory for it,
// else by the time before which all are suspects.
func (f *family) forget(key uint64, last pcommon.Timestamp, merged bool) {
	if f.departed.Bits == nil && f.service.take(departedBytes) {
		f.departed.Bits = make([]uint64, departedBits/64)
	}
	if f.departed.Bits != nil {
		f.departed.add(key, last)
		if merged {
			f.departed.add(key^mergedAway, last)
			f.departed.Merged = true
		}
		if f.departed.Count < maxDeparted {
			return
		}
		last, merged = f.departed.Last, f.departed.Merged
		clear(f.departed.Bits)
		f.departed = departed{Bits: f.departed.Bits}
	}
	f.since = max(f.since, last)
	if merged {
		f.merged = max(f.merged, last)
	}
}

// expire removes what no point came for since an epoch, and tells whether nothing
// is left.
func (f *family) expire(oldest uint32, now time.Time, p *cardinalityProcessor) (empty bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expireTracked(oldest, p)
	before := f.series.count
	f.series.keep(func(e *entry) bool {
		if e.ref != 0 {
			return !f.tracked.removed(e.ref)
		}
		if e.seen >= oldest {
			return true
		}
		// The last point came before the epoch ended.
		f.forget(e.key, pcommon.NewTimestampFromTime(p.epochTime(e.seen+1)), false)
		return false
	})
	f.service.leave(before - f.series.count)
	f.compact()
	f.gone = f.series.count == 0 && f.overflow == 0
	if f.sketch != nil && (f.gone || !f.nearLimit()) {
		f.sketch = nil
		f.service.give(sketchBytes)
	}
	if f.gone {
		if f.departed.Bits != nil {
			f.service.give(departedBytes)
		}
		merged := f.merged
		if f.departed.Merged {
			merged = max(merged, f.departed.Last)
		}
		p.left.leave(f.id, pcommon.NewTimestampFromTime(now), max(f.since, f.departed.Last, f.ended), merged, f.ended)
	}
	return f.gone
}

func (f *family) expireTracked(oldest uint32, p *cardinalityProcessor) {
	if f.tracked == nil {
		return
	}
	before := f.tracked.count()
	ended, bytes, lost := f.tracked.expire(oldest, f.forget)
	if lost > 0 {
		p.telemetry.CardinalityDroppedPoints.Add(context.Background(), int64(lost), p.telemetry.dropped[dropRefused])
	}
	f.service.streams.Add(int64(f.tracked.count() - before))
	f.service.give(bytes)
	f.ended = max(f.ended, ended)
	if f.overflow != 0 && f.tracked.removed(f.overflow) {
		f.overflow = 0
	}
}

// compact gives the memory of a burst back, once it has expired.
func (f *family) compact() {
	if f.tracked == nil {
		return
	}
	moved := f.tracked.compact()
	if moved == nil {
		return
	}
	for i := range f.series.slots {
		if e := &f.series.slots[i]; e.key != 0 && e.ref != 0 {
			e.ref = moved[e.ref-1]
		}
	}
	if f.overflow != 0 {
		f.overflow = moved[f.overflow-1]
	}
}
