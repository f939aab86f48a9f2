// SPDX-License-Identifier: Apache-2.0

package series

import (
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Metric is one metric of one resource and scope. Its series share a limit.
type Metric struct {
	metricState // guarded by mu, except ID
	service     *service
	audited     bool // nothing of it is sent

	plan atomic.Pointer[plan.Plan]
	// before is the metric with the rules of an earlier policy, for batches that still go by it. It is nil once none can.
	before   atomic.Pointer[Metric]
	replaced uint32 // the epoch in which it replaced that one

	mu      sync.Mutex // guards what follows
	removed bool       // removed from the store: use Store.Lock
	// bytes is the memory charged for the metric itself, with its first series. It is 0 for
	// a metric without series, which is removed when it is unlocked.
	bytes uint32
	// series has the attribute sets that the limit admits. An entry's ref is the number of
	// its output, from 1, or 0 for a series without one.
	series  table
	streams anyStreams // nil until a point needs them
	sketch  *sketch    // nil until a limit is near
	warned  uint32     // the epoch of the last warning, or 0

	look atomic.Uint32 // the number of the last look at an SDK that had the metric

	explored *explored // nil unless somebody reads what the metric costs
}

// Plan returns the rules of the metric, by the latest policy that is known to make the same ones.
func (m *Metric) Plan() *plan.Plan { return m.plan.Load() }

// metricState is the part of a metric that snapshots store, besides its series.
type metricState struct {
	ID       attrhash.Hash
	Overflow uint32    // the number of the overflow output, from 1; 0 for none
	Departed *departed // nil until a stream expires
	// A new stream that started at or before Since may have been counted already. One that
	// started at or before Merged may also have been merged.
	Since, Merged pcommon.Timestamp
	// Ended is the latest time of the removed outputs. New outputs begin after it.
	Ended  pcommon.Timestamp
	Missed uint32 // the number of the last look with a point that left no state
	// OfService: it has the overflow series of its service. It has no resource of its own,
	// and all its streams are in the overflow.
	OfService bool
}

// anyStreams is Streams of any type of value. Outputs are numbered from 1.
type anyStreams interface {
	// count returns the number of streams.
	count() int
	// folded adds the number of streams that are merged, by rule.
	folded(*[Rules]int)
	// knows reports whether it has a stream.
	knows(id attrhash.Hash) bool
	// sent returns the latest time of what was sent.
	sent() pcommon.Timestamp
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
	// metricType returns the type of the points.
	metricType() pmetric.MetricType
	// empty reports whether there are neither streams nor outputs.
	empty() bool
	// takeBack adds what was sent of an output to its next point, and reports whether
	// that was possible.
	takeBack(sent *Sent) bool
}

// beOfService makes a new metric one with the overflow series of its service, whose memory
// the caller charges.
func (m *Metric) beOfService() {
	m.OfService, m.bytes = true, metricBytes
	m.service.overflows.Add(1)
}

// Service returns the identity of the metric's service.
func (m *Metric) Service() attrhash.Hash { return m.service.id }

// StreamOfService returns the identity of a point's stream among those of all resources of the
// service.
func (m *Metric) StreamOfService(id *identity.Point) attrhash.Hash {
	return m.ID.Number(id.Stream.Lo).Number(id.Stream.Hi)
}

// knows reports whether a metric, which may be nil, has a stream.
func (m *Metric) knows(id attrhash.Hash) bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.streams != nil && m.streams.knows(id)
}

// cost returns the memory that the metric itself takes with its first series.
func (m *Metric) cost() int {
	if m.bytes != 0 {
		return 0
	}
	return metricBytes
}

// Keeps reports whether the outcome of a point is Keep because its series is known and has
// no output. Such a point need not be read.
func (m *Metric) Keeps(b *Batch, id *identity.Point) bool {
	if m.Plan().Keys.Any || id.Limited || id.Dropped {
		return false
	}
	e := m.series.get(id.Series.Lo)
	if e == nil || e.Ref != 0 {
		return false
	}
	e.Seen, b.lastSeen = b.epoch, e.Seen
	return true
}

// KeepsAll reports whether Keeps is true for all points. Time is that of the first one. It returns the indexes of those
// that Observed needs, also if not all are kept. The metric must not be locked.
func (m *Metric) KeepsAll(b *Batch, time pcommon.Timestamp, points []identity.Point) (all bool, first []int) {
	if m.Plan().Keys.Any {
		return len(points) == 0, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock() // not Unlock, which removes a new metric
	if m.removed {
		return false, nil
	}
	explores := m.Explores(b, len(points))
	for i := range points {
		if !m.Keeps(b, &points[i]) {
			return false, first
		}
		if explores && m.Needs(b) {
			first = append(first, i)
		}
	}
	if explores {
		m.CountPoints(time, len(points), len(points))
	}
	return true, first
}

// admit admits a new series, or returns the budget that refuses it. It warns once four
// fifths of a budget are used.
func (m *Metric) admit(b *Batch, id *identity.Point, attrs pcommon.Map) (full Rule, ok bool) {
	if m.series.count >= m.Plan().Limit {
		full = RuleLimit
	} else {
		full, ok = m.service.admit(m.cost())
	}
	near := !ok
	if ok {
		m.bytes += uint32(m.cost())
		full, near = m.near()
	}
	if (!ok || m.sketches()) && m.sketch == nil && m.bytes != 0 && m.service.reserve(sketchBytes) {
		m.sketch = &sketch{}
	}
	m.sketch.add(m.service.store.Seed, id.Series, attrs, m.Plan().Keys, !ok)
	if near {
		m.warn(b, full, ok)
	}
	return full, ok
}

// miss records that a point of a locked metric left no state.
func (m *Metric) miss(b *Batch) {
	if b.look != nil {
		m.Missed = b.look.number
	}
}

// isNew reports whether a look proves that a stream without state is new: the previous look at its
// source did not have it, and nothing that was there then is unknown.
func (m *Metric) isNew(b *Batch) bool {
	if b.look == nil {
		return false
	}
	missed := m.Missed
	if m.OfService {
		missed = max(missed, m.service.missed.Load())
	}
	return b.look.previous > missed
}

// warn adds a warning about a metric, unless the last one is too recent.
func (m *Metric) warn(b *Batch, full Rule, admitted bool) {
	if m.warned != 0 && b.epoch-m.warned < epochs(WarnEvery) {
		return
	}
	m.warned = max(b.epoch, 1)
	attribute, values := m.sketch.widest()
	b.Warnings = append(b.Warnings, Warning{
		Service: m.service.name, Metric: m.Plan().Metric, Rule: full, Admitted: admitted, Limit: m.Plan().Limit,
		Demand: m.demand(), Attribute: attribute, Values: values, Keeps: m.Plan().Keys.Keeps(),
	})
}

// sketches reports whether a sketch of new series is worth its memory. It has to begin long before a warning, which
// names the attribute with the most values.
func (m *Metric) sketches() bool { return 4*m.series.count >= m.Plan().Limit }

// nearLimit reports whether four fifths of the limit are used.
func (m *Metric) nearLimit() bool { return 5*m.series.count >= 4*m.Plan().Limit }

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
	if m.Overflow != 0 {
		past = max(past, m.streams.live(m.Overflow))
	}
	return m.series.count + past
}

// wasMerged reports whether a stream may have been merged with others before. If so, a
// returning counter must be merged again, or its earlier increments would count twice.
func (m *Metric) wasMerged(key uint64, start pcommon.Timestamp) bool {
	return m.Merged != 0 && start <= m.Merged || m.Departed.has(key^mergedSalt, start)
}

// depart records that a stream or series has expired: in departed if there is memory for
// it, else by raising since to its last time.
func (m *Metric) depart(key uint64, last pcommon.Timestamp, merged bool) {
	if m.Departed == nil {
		if filter, bytes := newDeparted(m.series.count + m.count()); m.service.reserve(bytes) {
			m.Departed = filter
		}
	}
	if m.Departed != nil {
		m.Departed.add(key, last)
		if merged {
			m.Departed.add(key^mergedSalt, last)
			m.Departed.Merged = true
		}
		if !m.Departed.full() {
			return
		}
		last, merged = m.Departed.Last, m.Departed.Merged
		m.service.release(m.Departed.bytes())
		m.Departed = nil
	}
	m.Since = max(m.Since, last)
	if merged {
		m.Merged = max(m.Merged, last)
	}
}

// expire removes series and streams of a locked metric without a point since an epoch. It reports whether the
// metric is empty, and returns the number of refused outputs that were not sent again.
func (m *Metric) expire(oldest uint32) (empty bool, lost int) {
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
	m.removed = m.series.count == 0 && m.Overflow == 0
	if m.sketch != nil && (m.removed || !m.sketches()) {
		m.sketch = nil
		m.service.release(sketchBytes)
	}
	return m.removed, lost
}

func (m *Metric) expireStreams(oldest uint32) (lost int) {
	before := m.streams.count()
	ended, bytes, lost := m.streams.expire(oldest, m.depart)
	m.service.streams.Add(int64(m.streams.count() - before))
	m.service.release(bytes)
	m.Ended = max(m.Ended, ended)
	if m.Overflow != 0 && m.streams.isFree(m.Overflow) {
		m.Overflow = 0
	}
	return lost
}

// count returns the number of streams.
func (m *Metric) count() int {
	if m.streams == nil {
		return 0
	}
	return m.streams.count()
}

// compact releases the memory of expired streams and renumbers the outputs.
func (m *Metric) compact() {
	if m.streams == nil {
		return
	}
	if m.streams.empty() {
		m.streams = nil
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
	if m.Overflow != 0 {
		m.Overflow = moved[m.Overflow-1]
	}
}
