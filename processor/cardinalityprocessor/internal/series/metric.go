package series

import (
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Metric is one metric of one resource and scope. Its series share a limit.
type Metric struct {
	Plan    *plan.Plan
	id      attrhash.Hash
	service *service

	mu      sync.Mutex // guards what follows
	removed bool       // removed from the store: use Store.Lock
	// series has the attribute sets that the limit admits. An entry's ref is the number of
	// its output, from 1, or 0 for a series without one.
	series   table
	streams  anyStreams // nil until a point needs them
	overflow uint32     // the number of the overflow output, from 1; 0 for none
	departed departed
	// A new stream that started at or before since may have been counted already. One that
	// started at or before merged may also have been merged.
	since, merged pcommon.Timestamp
	// ended is the latest time of the removed outputs. New outputs begin after it.
	ended  pcommon.Timestamp
	sketch *sketch   // nil until a limit is near
	warned time.Time // the last warning
}

// anyStreams is Streams of any type of value. Outputs are numbered from 1.
type anyStreams interface {
	// count returns the number of streams.
	count() int
	// live returns the number of streams of an output that have not ended.
	live(output uint32) int
	// expire removes the streams without a point since an epoch, calls expired for each, and
	// removes outputs without streams. It returns the latest time of these, the memory
	// that was released, and the number of refused outputs that were not sent again.
	expire(oldest uint32, expired func(key uint64, last pcommon.Timestamp, merged bool)) (ended pcommon.Timestamp, bytes, lost int)
	// isFree reports whether an output has been removed.
	isFree(output uint32) bool
	// compact releases unused memory. It returns the new numbers of the outputs by their
	// old index, or nil if nothing moved.
	compact() []uint32
	// takeBack adds what was sent of an output to its next point, and reports whether
	// that was possible.
	takeBack(sent *Sent) bool
}

// Unlock unlocks the metric.
func (m *Metric) Unlock() { m.mu.Unlock() }

// Keeps reports whether the outcome of a point is Keep because its series is known and has
// no output. Such a point need not be read.
func (m *Metric) Keeps(b *Batch, id *identity.Point) bool {
	if m.Plan.Keys.Any || id.Limited {
		return false
	}
	e := m.series.get(id.Series.Lo)
	if e == nil || e.Ref != 0 {
		return false
	}
	e.Seen = b.epoch
	return true
}

// admit admits a new series, or returns the budget that refuses it. It warns once four
// fifths of a budget are used.
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
	if (!ok || full == RuleLimit) && m.sketch == nil && m.service.reserve(sketchBytes) {
		m.sketch = &sketch{}
	}
	m.sketch.add(m.service.store.Seed, id.Series, attrs, m.Plan.Keys, !ok)
	b.warn(m, full, ok)
	return full, ok
}

// nearLimit reports whether four fifths of the limit are used.
func (m *Metric) nearLimit() bool { return 5*m.series.count >= 4*m.Plan.Limit }

// near returns the first budget that is used by four fifths or more, if any.
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

// demand estimates the number of series that the metric would have without budgets.
func (m *Metric) demand() int {
	past := m.sketch.refused()
	if m.overflow != 0 {
		past = max(past, m.streams.live(m.overflow))
	}
	return m.series.count + past
}

// wasMerged reports whether a stream may have been merged with others before. If so, a
// returning counter must be merged again, or its earlier increments would count twice.
func (m *Metric) wasMerged(key uint64, start pcommon.Timestamp) bool {
	return m.merged != 0 && start <= m.merged || m.departed.has(key^mergedSalt, start)
}

// depart records that a stream or series has expired: in departed if there is memory for
// it, else by raising since to its last time.
func (m *Metric) depart(key uint64, last pcommon.Timestamp, merged bool) {
	if m.departed.Bits == nil && m.service.reserve(departedBytes) {
		m.departed.Bits = make([]uint64, departedBits/64)
	}
	if m.departed.Bits != nil {
		m.departed.add(key, last)
		if merged {
			m.departed.add(key^mergedSalt, last)
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

// expire removes series and streams without a point since an epoch. It reports whether the
// metric is empty, and returns the number of refused outputs that were not sent again.
func (m *Metric) expire(oldest uint32, now time.Time) (empty bool, lost int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.streams != nil {
		lost = m.expireStreams(oldest)
	}
	before := m.series.count
	m.series.keep(func(e *entry) bool {
		if e.Ref != 0 {
			return !m.streams.isFree(e.Ref)
		}
		if e.Seen >= oldest {
			return true
		}
		// The exact time of the last point is not stored: it was before the epoch's end.
		m.depart(e.Key, pcommon.NewTimestampFromTime(m.service.store.epochTime(e.Seen+1)), false)
		return false
	})
	m.service.releaseSeries(before - m.series.count)
	m.compact()
	m.removed = m.series.count == 0 && m.overflow == 0
	if m.sketch != nil && (m.removed || !m.nearLimit()) {
		m.sketch = nil
		m.service.release(sketchBytes)
	}
	if m.removed {
		if m.departed.Bits != nil {
			m.service.release(departedBytes)
		}
		merged := m.merged
		if m.departed.Merged {
			merged = max(merged, m.departed.Last)
		}
		m.service.store.watermarks.record(m.id, pcommon.NewTimestampFromTime(now), max(m.since, m.departed.Last, m.ended), merged, m.ended)
	}
	return m.removed, lost
}

func (m *Metric) expireStreams(oldest uint32) (lost int) {
	before := m.streams.count()
	ended, bytes, lost := m.streams.expire(oldest, m.depart)
	m.service.streams.Add(int64(m.streams.count() - before))
	m.service.release(bytes)
	m.ended = max(m.ended, ended)
	if m.overflow != 0 && m.streams.isFree(m.overflow) {
		m.overflow = 0
	}
	return lost
}

// compact releases the memory of expired streams and renumbers the outputs.
func (m *Metric) compact() {
	if m.streams == nil {
		return
	}
	moved := m.streams.compact()
	if moved == nil {
		return
	}
	for i := range m.series.slots {
		if e := &m.series.slots[i]; e.Key != 0 && e.Ref != 0 {
			e.Ref = moved[e.Ref-1]
		}
	}
	if m.overflow != 0 {
		m.overflow = moved[m.overflow-1]
	}
}
