// SPDX-License-Identifier: Apache-2.0

package series

import "go.opentelemetry.io/collector/pdata/pcommon"

func (t *Streams[T, M]) expire(oldest uint32, expired func(key uint64, last pcommon.Timestamp, merged bool)) (ended pcommon.Timestamp, bytes, lost int) {
	t.index.keep(func(e *entry) bool {
		s := &t.streams[e.Ref]
		if s.Seen >= oldest {
			return true
		}
		expired(e.Key, s.Time, t.outputs[s.Output].Merged)
		bytes += int(s.bytes)
		t.removeStream(e.Ref)
		return false
	})
	for i := range t.outputs {
		if o := &t.outputs[i]; o.Waits && o.seen < oldest {
			o.Waits, o.Start = false, pcommon.NewTimestampFromTime(t.metric.service.store.epochTime(oldest))
		}
		if o := &t.outputs[i]; o.streams == 0 && o.seen < oldest && !o.Free {
			ended = max(ended, o.Time)
			bytes += int(o.bytes)
			if o.Refused {
				lost++
			}
			o.Free, o.total = true, t.zero
			t.freeOutputs = append(t.freeOutputs, uint32(i))
		}
	}
	t.compactRests()
	return ended, bytes, lost
}

// compactRests removes the rests of removed outputs.
func (t *Streams[T, M]) compactRests() {
	var kept []rest[T]
	for i := range t.outputs {
		if o := &t.outputs[i]; o.rest != 0 && !o.Free {
			kept = append(kept, t.rests[o.rest-1])
			o.rest = uint32(len(kept))
		}
	}
	t.rests = kept
}

// removeStream removes a stream from its output's list. The caller removes it from the index.
func (t *Streams[T, M]) removeStream(i uint32) {
	s := &t.streams[i]
	o := &t.outputs[s.Output]
	if s.prev != 0 {
		t.streams[s.prev-1].next = s.next
	} else {
		o.streams = s.next
	}
	if s.next != 0 {
		t.streams[s.next-1].prev = s.prev
	}
	if !s.Stale {
		o.live--
	}
	o.current = false
	s.Free = true
	s.last = t.zero // releases the buckets
	t.freeStreams = append(t.freeStreams, i)
}

// roomy reports whether over half of a slice is unused.
func roomy(used, size int) bool { return size > 2*used+minSlots }

// compact copies the streams and outputs to smaller slices once more than half of either
// is unused.
func (t *Streams[T, M]) compact() (moved []uint32) {
	streams, outputs := len(t.streams)-len(t.freeStreams), len(t.outputs)-len(t.freeOutputs)
	if !roomy(streams, cap(t.streams)) && !roomy(outputs, cap(t.outputs)) {
		return nil
	}
	// Both maps go to numbers from 1, where 0 means none. movedStreams is also indexed from 1.
	movedStreams := make([]uint32, len(t.streams)+1)
	kept := make([]stream[T], 0, streams)
	var keptIntervals []intervals
	for i := range t.streams {
		if !t.streams[i].Free {
			kept = append(kept, t.streams[i])
			movedStreams[i+1] = uint32(len(kept))
			if t.Temporality == Delta {
				keptIntervals = append(keptIntervals, t.intervals[i])
			}
		}
	}
	moved = make([]uint32, len(t.outputs))
	keptOutputs := make([]Output[T], 0, outputs)
	for i := range t.outputs {
		if o := &t.outputs[i]; !o.Free {
			keptOutputs = append(keptOutputs, *o)
			moved[i] = uint32(len(keptOutputs))
		}
	}
	for i := range kept {
		s := &kept[i]
		s.Output = moved[s.Output] - 1
		s.prev, s.next = movedStreams[s.prev], movedStreams[s.next]
	}
	for i := range keptOutputs {
		o := &keptOutputs[i]
		o.streams, o.decider = movedStreams[o.streams], movedStreams[o.decider]
	}
	for i := range t.index.slots {
		if e := &t.index.slots[i]; e.Key != 0 {
			e.Ref = movedStreams[e.Ref+1] - 1
		}
	}
	t.streams, t.intervals, t.outputs, t.freeStreams, t.freeOutputs = kept, keptIntervals, keptOutputs, nil, nil
	return moved
}
