package cardinalityprocessor

import (
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// family is one metric of one resource and scope: the series that share a limit.
type family struct {
	id      identity
	plan    *plan
	service *service

	mu   sync.Mutex // guards what follows
	gone bool       // removed from the processor's families; look again
	// series are the distinct attribute sets that have a place within the limit. An
	// entry's ref is its output, from 1, or 0 where its points go out as they come.
	series   table
	tracked  tracked // nil until points are merged
	overflow uint32  // the output of all that is past the limit, from 1; 0 for none
	// since is the time before which a stream that comes for the first time may
	// have been counted already.
	since pcommon.Timestamp
	// forgotten is the last time of the streams that were merged and expired; 0 for
	// none. What comes back afterwards must not count again what it had counted.
	forgotten pcommon.Timestamp
	sketch    *sketch   // of the demand, once a limit is near
	reported  time.Time // when the demand was last
}

// tracked is a tracker, whatever its points measure.
type tracked interface {
	// count is the streams in all.
	count() int
	// expire removes the streams that no point came for since an epoch, and the
	// outputs without any. It returns the latest time of their points and the memory
	// they took.
	expire(oldest uint32) (last pcommon.Timestamp, bytes int)
	// state is what a snapshot holds of it.
	state() *trackerState
	// live is how many streams of an output, from 1, have not ended.
	live(output uint32) int
	// compact gives unused memory back, if that is most of it. It returns the new
	// numbers of the outputs, from 1, or nil where nothing moved.
	compact() []uint32
	// gone tells whether an output, from 1, was removed.
	gone(output uint32) bool
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

// demand is about how many series want a place.
func (f *family) demand() int {
	past := f.sketch.refused()
	if f.overflow != 0 {
		past = max(past, f.tracked.live(f.overflow))
	}
	return f.series.count + past
}

// expire removes what no point came for since an epoch, and tells whether nothing
// is left.
func (f *family) expire(oldest uint32, epochTime func(uint32) time.Time) (empty bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expireTracked(oldest)
	before := f.series.count
	f.series.keep(func(e *entry) bool {
		if e.ref != 0 {
			return !f.tracked.gone(e.ref)
		}
		if e.seen >= oldest {
			return true
		}
		// The last point came before the epoch ended.
		f.since = max(f.since, pcommon.NewTimestampFromTime(epochTime(e.seen+1)))
		return false
	})
	f.service.leave(before - f.series.count)
	f.compact()
	f.gone = f.series.count == 0 && f.overflow == 0
	if f.sketch != nil && (f.gone || !f.nearLimit()) {
		f.sketch = nil
		f.service.give(sketchBytes)
	}
	return f.gone
}

func (f *family) expireTracked(oldest uint32) {
	if f.tracked == nil {
		return
	}
	before := f.tracked.count()
	last, bytes := f.tracked.expire(oldest)
	f.service.streams.Add(int64(f.tracked.count() - before))
	f.service.give(bytes)
	f.forgotten = max(f.forgotten, last)
	f.since = max(f.since, last)
	if f.overflow != 0 && f.tracked.gone(f.overflow) {
		f.overflow = 0
	}
}

// compact gives the memory of a burst back, once most of it has expired.
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
