// SPDX-License-Identifier: Apache-2.0

package series

import (
	"unsafe"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// untracked merges a point whose stream there is no memory for.
func (t *Streams[T, M]) untracked(b *Batch, p *Point[T], to assignment) Outcome {
	o := &t.outputs[to.output-1]
	o.seen = b.epoch
	t.missed = true
	asCame := to.unchanged && !o.Merged && t.Temporality != Delta
	switch {
	case asCame:
		b.Untracked[UntrackedSent]++
	case p.Stale:
		b.Untracked[UntrackedBaseline]++ // nothing is known that could end
		return Drop
	case t.Temporality == Latest:
		// One stream has the latest value of all that are not tracked.
		i := t.commonStream(to.output - 1)
		if !t.accumulate(b, i, p) {
			b.Untracked[UntrackedBaseline]++
			return Drop
		}
		t.streams[i].Seen = b.epoch
		b.Untracked[UntrackedCounted]++
	case t.Temporality == Delta:
		// A delta can be added without knowing its stream.
		M(&o.total).Add(&p.Value)
		b.Untracked[UntrackedCounted]++
	case b.look != nil && t.addToRest(b, o, p):
		b.Untracked[UntrackedCounted]++
	default:
		b.Untracked[UntrackedBaseline]++
	}
	o = t.touch(to.output-1, p.Index)
	o.latest = max(o.latest, p.Time)
	o.Replaced |= to.replaced
	if !asCame {
		o.unknown = t.Temporality == Delta
		o.add(p.Start, p.Time)
		b.Folded[to.why]++
	}
	return ofOutput + Outcome(to.output-1)
}

// commonStream returns the stream that the untracked streams of an output share.
func (t *Streams[T, M]) commonStream(output uint32) uint32 {
	id := attrhash.Hash{Lo: t.outputs[output].Check ^ mergedSalt, Hi: mergedSalt}
	if i, ok := t.find(id); ok {
		return i
	}
	i, _ := t.addStream(id, output)
	s := &t.streams[i]
	s.bytes = uint32(t.streamBytes(&t.zero))
	t.metric.service.charge(int(s.bytes))
	t.metric.service.streams.Add(1)
	return i
}

// rest has the sum of all untracked cumulative streams of an output, at the last two complete
// looks at their source. Its growth counts, and a fall does not: it hides the growth of streams
// beside those that end.
type rest[T any] struct {
	look        uint32 // the number of the last look
	before, now T
	known       bool // before is the sum at the previous look
}

// addToRest adds the value of an untracked stream, and reports whether its growth will count.
func (t *Streams[T, M]) addToRest(b *Batch, o *Output[T], p *Point[T]) bool {
	if t.metric.OfService {
		return false // its streams have several sources
	}
	if o.rest == 0 {
		t.rests = append(t.rests, rest[T]{})
		o.rest = uint32(len(t.rests))
		bytes := int(unsafe.Sizeof(rest[T]{}))
		t.metric.service.charge(bytes)
		o.bytes += uint32(bytes)
	}
	r := &t.rests[o.rest-1]
	if r.look != b.look.number {
		// All streams of the first rest are new if the look proves it.
		r.known = r.look != 0 && r.look == b.look.previous || t.metric.isNew(b)
		r.before, r.now = r.now, r.before
		M(&r.now).Reset()
		r.look = b.look.number
	}
	M(&r.now).Add(&p.Value)
	return r.known
}

// Finish adds what untracked streams have grown by. It is called after the last point of the
// metric, before Emit.
func (t *Streams[T, M]) Finish(b *Batch) {
	if b.look == nil || !t.missed {
		return
	}
	for _, i := range t.Touched {
		o := &t.outputs[i]
		if o.rest == 0 {
			continue
		}
		if r := &t.rests[o.rest-1]; r.look == b.look.number && r.known {
			M(&t.scratch).Set(&r.now)
			if reset := M(&t.scratch).Sub(&r.before); !reset {
				M(&o.total).Add(&t.scratch)
			}
		}
	}
}

// pressed reports whether memory is so scarce that streams are forgotten when they end.
func (m *Memory) pressed() bool { return 2*m.Used.Load() > m.Limit }

// Values of Streams.source that are no source.
const (
	noSource       = 1 // a stream was created without a look
	severalSources = 2
)

// sourceNumber returns the look's source as a value of Streams.source.
func (l *Look) sourceNumber() uint64 {
	if l == nil {
		return noSource
	}
	return max(l.key.id.Lo, severalSources+1)
}

// addSource records the source of a new stream.
func (t *Streams[T, M]) addSource(b *Batch) {
	switch source := b.look.sourceNumber(); t.source {
	case 0:
		t.source = source
	case source:
	default:
		t.source = severalSources
	}
}

// forget removes the streams that this look and the previous one lack: they left their source. What they
// contributed stays. It is called after the look's points were observed. If the metric has streams
// of other senders, which the look does not have, none is removed.
func (t *Streams[T, M]) forget(b *Batch) {
	m := t.metric
	if b.look == nil || t.Temporality == Delta || m.OfService || t.source != b.look.sourceNumber() || !m.service.store.Memory.pressed() {
		return
	}
	before, bytes := t.index.count, 0
	// From the last to the first, so that new streams take the slots in order.
	for i := len(t.streams) - 1; i >= 0; i-- {
		s := &t.streams[i]
		if s.Free || s.Seen >= b.look.before(b) {
			continue
		}
		bytes += int(s.bytes)
		t.index.remove(s.ID.Lo)
		t.removeStream(uint32(i))
	}
	m.service.streams.Add(int64(t.index.count - before))
	m.service.release(bytes)
}
