// SPDX-License-Identifier: Apache-2.0

package series

import (
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// A Look is the part of a batch that one source sent, if it has all cumulative streams that
// the source has at that time. A source is a scraped target or an SDK. A stream that the
// previous look did not have is new: its first value counts in full.
type Look struct {
	key    sourceKey
	source *source // locked; nil for a new one
	number uint32
	// previous is the number of the source's previous look, or 0 if there was none or
	// streams of it may have expired.
	previous uint32
	service  *service // of the first metric
	// complete reports whether the look has all streams. For a scrape this is known from
	// the start; for an SDK it follows from its metrics.
	complete bool
	scraped  bool
	// Of an SDK:
	metrics          []*Metric // the cumulative ones
	check, known     uint64    // of all metrics, and of those that the previous look had
	earliest, newest pcommon.Timestamp
	oldest           pcommon.Timestamp // the earliest time of a metric
}

// sourceKey identifies a source, and the policy that its metrics have their names from.
type sourceKey struct {
	id         attrhash.Hash
	generation uint32
}

// source remembers the last look at it.
type source struct {
	mu       sync.Mutex // held during a look
	removed  bool
	service  *service
	lastLook // guarded by mu
}

// lastLook is what is remembered of a look. Snapshots store the fields under these names.
type lastLook struct {
	Number uint32
	Seen   uint32            // its epoch
	Check  uint64            // of an SDK: the sum of its metrics' hashes
	Time   pcommon.Timestamp // of an SDK: the latest time of a metric
	// Parts: the sender was seen to send a collection in parts, or two senders have this
	// identity. Looks at it are never complete.
	Parts bool
}

// sourceBytes is the memory of a source with its table entry.
const sourceBytes = 160

// Look begins a look at a source by a policy. Scraped reports that the batch is known to be complete. It
// returns nil while another batch looks at the same source.
func (s *Store) Look(b *Batch, id attrhash.Hash, generation uint32, scraped bool) *Look {
	l := &Look{key: sourceKey{id, generation}, number: s.looks.Add(1), scraped: scraped, complete: scraped}
	known, ok := s.sources.Load(l.key)
	if !ok {
		return l
	}
	if !known.mu.TryLock() {
		return nil
	}
	if known.removed {
		known.mu.Unlock()
		return l
	}
	l.source = known
	if !known.Parts && b.epoch-known.Seen <= epochs(s.MaxStale) {
		l.previous = known.Number
	}
	return l
}

// Add adds a metric of the batch to the look, with the start and time of a point if it is
// cumulative.
func (l *Look) Add(m *Metric, how Temporality, start, time pcommon.Timestamp) {
	if l.service == nil {
		l.service = m.service
	}
	if l.scraped || how != Cumulative || time == 0 {
		return
	}
	hash := m.ID.Number(uint64(start)).Lo
	if l.source != nil && m.look.Load() == l.source.Number {
		l.known += hash
	}
	l.metrics = append(l.metrics, m)
	if l.check == 0 {
		l.earliest, l.oldest = start, time
	}
	l.check += hash
	l.earliest, l.oldest, l.newest = min(l.earliest, start), min(l.oldest, time), max(l.newest, time)
}

// Complete decides whether the look is complete, after all its metrics were added.
//
// An SDK keeps its cumulative streams, with their start, and sends all in one request. So a
// request that lacks a metric of the previous look, or has it with another start, is a part
// of a collection or comes from a second sender. Then no request with this identity is ever
// complete. If all streams began after the previous look, the SDK has restarted. It may also have
// restarted if its clock was ahead at the previous look, whose time then says nothing.
func (l *Look) Complete(b *Batch) {
	if l.scraped {
		return
	}
	if l.source == nil {
		l.complete = l.check != 0
		return
	}
	last := &l.source.lastLook
	right := b.putRight(last.Time, l.newest)
	// A metric whose points are all in the overflow of its service does not keep its last look.
	same := l.known == last.Check || l.check == last.Check
	switch {
	case last.Parts || l.newest < last.Time && !right: // the latter is late
	case !same && (right || l.earliest > last.Time):
		l.complete, l.previous = true, 0
	case !same:
		last.Parts = true
	default:
		l.complete = l.oldest > last.Time || right // else it is a repetition
	}
}

// before returns the epoch of the previous look, or of this one if it is the first. A stream
// that only one look lacks is not forgotten: the page may only have hidden it.
func (l *Look) before(b *Batch) uint32 {
	if l.source == nil {
		return b.epoch
	}
	return l.source.Seen
}

// EndLook ends a look after its batch was observed.
func (s *Store) EndLook(b *Batch, l *Look) {
	if l.complete {
		for _, m := range l.metrics {
			m.look.Store(l.number)
		}
	}
	if l.source != nil {
		if l.complete || l.source.Parts {
			l.source.Number, l.source.Seen, l.source.Check, l.source.Time = l.number, b.epoch, l.check, l.newest
		}
		l.source.mu.Unlock()
		return
	}
	if !l.complete || l.service == nil || !l.service.reserve(sourceBytes) {
		return
	}
	added := &source{service: l.service, lastLook: lastLook{Number: l.number, Seen: b.epoch, Check: l.check, Time: l.newest}}
	if _, known := s.sources.LoadOrStore(l.key, added); known {
		l.service.release(sourceBytes)
	}
}

// Miss records that points of a metric left no state. Their streams may be older than they
// seem when they appear again.
func (s *Store) Miss(id attrhash.Hash) {
	looks := s.looks.Load()
	if m, ok := s.metrics.Load(id); ok {
		m = s.Lock(m)
		m.Missed = looks
		s.Unlock(m)
		return
	}
	s.missed.of(id).Store(looks)
}

// misses are as Metric.missed, of metrics that are not stored. 12 bits of the identity select the
// slot, so that a sender of bad points is no obstacle to the new metrics of others.
type misses [1 << 12]atomic.Uint32

func (m *misses) of(id attrhash.Hash) *atomic.Uint32 { return &m[id.Lo%uint64(len(m))] }

// last returns the greatest number.
func (m *misses) last() (number uint32) {
	for i := range m {
		number = max(number, m[i].Load())
	}
	return number
}

func (m *misses) set(number uint32) {
	for i := range m {
		m[i].Store(number)
	}
}

// At sets the look that the next points belong to. It may be nil or incomplete.
func (b *Batch) At(l *Look) {
	if b.look = nil; l != nil && l.complete {
		b.look = l
	}
}

// expireSources removes the sources of one share that were not looked at since an epoch, and those of earlier policies.
func (s *Store) expireSources(oldest uint32, share uint64) {
	for key, known := range s.sources.All() {
		if key.id.Lo%Sweeps != share || !known.mu.TryLock() {
			continue
		}
		if known.Seen < oldest || key.generation < s.generation.Load() {
			known.removed = true
			s.sources.Delete(key)
			known.service.release(sourceBytes)
		}
		known.mu.Unlock()
	}
}
