// SPDX-License-Identifier: Apache-2.0

package series

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// touch records that the batch has a point of an output.
func (t *Streams[T, M]) touch(i uint32, point int) *Output[T] {
	o := &t.outputs[i]
	if !o.touched {
		o.touched, o.changed, o.ended, o.unknown, o.latest, o.valued, o.Point, o.Replaced = true, false, false, false, 0, 0, int32(point), 0
		if !o.Refused {
			o.First = 0
		}
		t.Touched = append(t.Touched, i)
	}
	return o
}

// add records the interval of a point without a stream.
func (o *Output[T]) add(start, time pcommon.Timestamp) {
	o.changed, o.Merged = true, true
	o.latest, o.valued = max(o.latest, time), max(o.valued, time)
	if o.First == 0 || start < o.First {
		o.First = start
	}
}

// resend sends the last point of an output again, since the point was refused and the sender
// repeats its own.
func (t *Streams[T, M]) resend(i uint32, p *Point[T]) {
	o := t.touch(i, p.Index)
	o.latest, o.valued = max(o.latest, p.Time), max(o.valued, p.Time)
	o.changed, o.ended = true, o.live == 0
}

// accumulate merges a point into its stream's output. It returns false if the point is late,
// or if a second sender wrote it.
func (t *Streams[T, M]) accumulate(b *Batch, i uint32, p *Point[T]) bool {
	s := &t.streams[i]
	live := !s.Stale
	alone := s.Unchanged && !t.outputs[s.Output].Merged
	newer := p.Time > s.Time || b.putRight(s.Time, p.Time)
	switch {
	case p.Stale && newer:
	case t.Temporality == Delta && !p.Stale:
		if (p.Time <= s.Time || p.Time > b.ahead) && t.intervals[i].has(p.Start, p.Time) {
			return false
		}
		t.intervals[i].add(p.Start, p.Time)
	case !newer || t.Temporality == Cumulative && !t.increment(b, s, p) && !alone:
		return false
	}
	o := t.touch(s.Output, p.Index)
	resumes := t.waitsFor(s)
	if resumes {
		o.Waits, o.Start = false, p.Start
	}
	o.latest = max(o.latest, p.Time)
	o.Merged = o.Merged || !s.Unchanged
	if p.Stale && live && t.Temporality == Cumulative {
		s.Start = s.Time
	}
	if newer {
		s.Time = p.Time
	}
	if p.Stale {
		if resumes {
			o.Start = p.Time // the other streams go on alone
		}
		o.ended = true
		if live {
			s.Stale = true
			o.live--
			o.changed = o.changed || t.Temporality == Latest
		}
		return true
	}
	if newer && !live {
		s.Stale = false
		o.live++
	}
	o.changed = true
	o.ended = o.ended || o.live == 0 // a delta from before the end
	o.valued = max(o.valued, p.Time)
	switch t.Temporality {
	case Delta:
		if o.First == 0 || p.Start < o.First {
			o.First = p.Start
		}
		M(&o.total).Add(&p.Value)
	case Cumulative:
		M(&o.total).Add(&t.scratch)
		M(&s.last).Set(&p.Value)
	case Latest:
		s.Start = p.Start
		M(&s.last).Set(&p.Value)
	}
	s.Known = true
	return true
}

// increment sets scratch to what a point adds to its cumulative stream. It returns false if a
// second sender wrote the point.
//
// Two senders of one stream would look like a reset with each point. So once the stream is known to
// have two, only the one that started later counts: Start is set between the two.
func (t *Streams[T, M]) increment(b *Batch, s *stream[T], p *Point[T]) bool {
	added := M(&t.scratch)
	added.Set(&p.Value)
	switch {
	case t.begins(b, s, p), s.restarts(p), t.waitsFor(s):
		added.Sub(&t.zero)
		s.Shared = false
	case !s.Known:
		added.Sub(&p.Value)
	case s.Stale:
		added.Sub(&s.last)
		s.Shared = false
	case s.Shared && p.Start < s.Start:
		return false
	default:
		reset := added.Sub(&s.last)
		if s.Shared {
			return true
		}
		if reset && s.hasTwoSenders(b, p) {
			earlier := p.Start < s.Start
			s.Shared, s.Start = true, s.Start/2+p.Start/2
			return !earlier
		}
	}
	s.Start = p.Start
	return true
}

// begins reports whether the first value of a stream counts in full: the stream began after since
// and did not expire before, or a look proves that it is new. Another stream may have been counted
// already, so its first value is only a baseline.
func (t *Streams[T, M]) begins(b *Batch, s *stream[T], p *Point[T]) bool {
	if s.Known {
		return false
	}
	younger := b.started(p.Start, p.Time) > t.metric.Since
	return younger && !s.Returned || t.metric.isNew(b)
}

// restarts reports whether a known stream states a start at or after its last value. Any other start
// does not count, since some senders state a start that wanders: the values decide.
func (s *stream[T]) restarts(p *Point[T]) bool {
	switch {
	case !s.Known:
		return false
	case s.Stale:
		return p.Start >= s.Start // the time of the last value
	default:
		return p.Start != s.Start && p.Start >= s.Time
	}
}

// waitsFor reports whether the output of a stream waits for it, because its earlier points were sent
// as they came.
func (t *Streams[T, M]) waitsFor(s *stream[T]) bool {
	return t.outputs[s.Output].Waits && s.Unchanged
}

// hasTwoSenders reports whether a decrease comes from a second sender: it states another start,
// which is no restart. Starts of a clock that was ahead until then cannot be compared.
func (s *stream[T]) hasTwoSenders(b *Batch, p *Point[T]) bool {
	return p.Start != s.Start && !b.putRight(s.Time, p.Time)
}

// intervals remember the last points of a delta stream by hashes of their start and time. A
// point that is not newer than the stream's last one is a repetition if it is among them.
// Else it is late, because requests overtook each other, and counts. The zero value is empty. Snapshots
// store the fields under these names.
type intervals struct {
	Last [16]uint32 // 0 for none
	Next uint32
}

func (v *intervals) has(start, time pcommon.Timestamp) bool {
	return slices.Contains(v.Last[:], hashInterval(start, time))
}

func (v *intervals) add(start, time pcommon.Timestamp) {
	v.Last[v.Next%uint32(len(v.Last))] = hashInterval(start, time)
	v.Next++
}

// hashInterval returns a hash that is not 0.
func hashInterval(start, time pcommon.Timestamp) uint32 {
	h := (uint64(start)*0x9E3779B97F4A7C15 ^ uint64(time)) * 0xD6E8FEB86659FD93
	return uint32(h>>32) | 1
}
