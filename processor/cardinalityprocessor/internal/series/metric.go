package series

import (
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Metric is one metric of one resource and scope: the series that share a limit.
type Metric struct {
	Plan    *plan.Plan
	id      attrhash.Hash
	service *service

	mu   sync.Mutex // guards what follows
	gone bool       // removed from the store; lock again
	// series are the distinct attribute sets that have a place within the limit. An
	// entry's ref is its output, from 1, or 0 where there is none to look after.
	series   table
	streams  anyStreams // nil until a point had to be looked after
	overflow uint32     // the output of all that is past the limit, from 1; 0 for none
	departed departed
	// since is the time before which any stream that comes for the first time may
	// have been counted already; merged before which any may have been merged.
	since, merged pcommon.Timestamp
	// ended is the latest time of the outputs that were removed. What is made in
	// their place comes after it.
	ended  pcommon.Timestamp
	sketch *sketch   // of the demand, once a limit is near
	warned time.Time // of the demand
}

// anyStreams is Streams, whatever they measure.
type anyStreams interface {
	// count returns the streams in all; live those of an output, from 1, that have not
	// ended.
	count() int
	live(output uint32) int
	// expire removes the streams that no point came for since an epoch, which gone is
	// told, and the outputs without any. It returns the latest time of these, the
	// memory that all took, and how many outputs had yet to go out again.
	expire(oldest uint32, gone func(key uint64, last pcommon.Timestamp, merged bool)) (ended pcommon.Timestamp, bytes, lost int)
	// removed reports whether an output, from 1, is.
	removed(output uint32) bool
	// compact gives unused memory back, if that is much. It returns the new numbers of
	// the outputs, from 1, or nil where nothing moved.
	compact() []uint32
	// takeBack makes what was sent of an output part of what it sends next, and reports
	// whether it could.
	takeBack(sent *Sent) bool
}

// Unlock lets other batches have the metric.
func (m *Metric) Unlock() { m.mu.Unlock() }

// Passes reports whether a point is of a known series of which nothing has to be
// remembered: it goes out as it came.
func (m *Metric) Passes(b *Batch, id *identity.Point) bool {
	if m.Plan.Keys.Any || id.Limited {
		return false
	}
	e := m.series.get(id.Series.Lo)
	if e == nil || e.ref != 0 {
		return false
	}
	e.seen = b.epoch
	return true
}

// admit gives a new attribute set a place, or returns the budget that has none. It warns
// once four fifths of a budget are taken.
func (m *Metric) admit(b *Batch, id *identity.Point, attrs pcommon.Map) (full Rule, ok bool) {
	if m.series.count >= m.Plan.Limit {
		full = RuleLimit
	} else {
		full, ok = m.service.admit()
	}
	if ok {
		var near bool
		if full, near = m.near(); !near {
			return 0, true
		}
	}
	if (!ok || full == RuleLimit) && m.sketch == nil && m.service.take(sketchBytes) {
		m.sketch = &sketch{}
	}
	m.sketch.add(m.service.store.Seed, id.Series, attrs, m.Plan.Keys, !ok)
	b.warn(m, full, ok)
	return full, ok
}

// nearLimit reports whether four fifths of the limit are taken.
func (m *Metric) nearLimit() bool { return 5*m.series.count >= 4*m.Plan.Limit }

// near returns the budget that four fifths are taken of, if any.
func (m *Metric) near() (full Rule, near bool) {
	store := m.service.store
	switch {
	case m.nearLimit():
		return RuleLimit, true
	case store.ServiceLimit > 0 && 5*m.service.series.Load() >= 4*int64(store.ServiceLimit):
		return RuleServiceLimit, true
	case 5*store.Memory.Used.Load() >= 4*store.Memory.Limit:
		return RuleMemory, true
	}
	return 0, false
}

// demand returns about how many series want a place.
func (m *Metric) demand() int {
	past := m.sketch.refused()
	if m.overflow != 0 {
		past = max(past, m.streams.live(m.overflow))
	}
	return m.series.count + past
}

// wasMerged reports whether a stream may have been merged with other streams before, so
// that it must not come back whole.
func (m *Metric) wasMerged(key uint64, start pcommon.Timestamp) bool {
	return m.merged != 0 && start <= m.merged || m.departed.has(key^mergedAway, start)
}

// forget remembers that a stream is gone: by itself where there is memory for it,
// else by the time before which all are suspects.
func (m *Metric) forget(key uint64, last pcommon.Timestamp, merged bool) {
	if m.departed.Bits == nil && m.service.take(departedBytes) {
		m.departed.Bits = make([]uint64, departedBits/64)
	}
	if m.departed.Bits != nil {
		m.departed.add(key, last)
		if merged {
			m.departed.add(key^mergedAway, last)
			m.departed.Merged = true
		}
		if m.departed.Count < maxDeparted {
			return
		}
		last, merged = m.departed.Last, m.departed.Merged
		clear(m.departed.Bits)
		m.departed = departed{Bits: m.departed.Bits}
	}
	m.since = max(m.since, last)
	if merged {
		m.merged = max(m.merged, last)
	}
}

// expire removes what no point came for since an epoch. It reports whether nothing is left,
// and how many outputs were removed that had yet to go out again.
func (m *Metric) expire(oldest uint32, now time.Time) (empty bool, lost int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.streams != nil {
		lost = m.expireStreams(oldest)
	}
	before := m.series.count
	m.series.keep(func(e *entry) bool {
		if e.ref != 0 {
			return !m.streams.removed(e.ref)
		}
		if e.seen >= oldest {
			return true
		}
		// The last point came before the epoch ended.
		m.forget(e.key, pcommon.NewTimestampFromTime(m.service.store.epochTime(e.seen+1)), false)
		return false
	})
	m.service.leave(before - m.series.count)
	m.compact()
	m.gone = m.series.count == 0 && m.overflow == 0
	if m.sketch != nil && (m.gone || !m.nearLimit()) {
		m.sketch = nil
		m.service.give(sketchBytes)
	}
	if m.gone {
		if m.departed.Bits != nil {
			m.service.give(departedBytes)
		}
		merged := m.merged
		if m.departed.Merged {
			merged = max(merged, m.departed.Last)
		}
		m.service.store.left.leave(m.id, pcommon.NewTimestampFromTime(now), max(m.since, m.departed.Last, m.ended), merged, m.ended)
	}
	return m.gone, lost
}

func (m *Metric) expireStreams(oldest uint32) (lost int) {
	before := m.streams.count()
	ended, bytes, lost := m.streams.expire(oldest, m.forget)
	m.service.streams.Add(int64(m.streams.count() - before))
	m.service.give(bytes)
	m.ended = max(m.ended, ended)
	if m.overflow != 0 && m.streams.removed(m.overflow) {
		m.overflow = 0
	}
	return lost
}

// compact gives the memory of a burst back, once it has expired.
func (m *Metric) compact() {
	if m.streams == nil {
		return
	}
	moved := m.streams.compact()
	if moved == nil {
		return
	}
	for i := range m.series.slots {
		if e := &m.series.slots[i]; e.key != 0 && e.ref != 0 {
			e.ref = moved[e.ref-1]
		}
	}
	if m.overflow != 0 {
		m.overflow = moved[m.overflow-1]
	}
}
