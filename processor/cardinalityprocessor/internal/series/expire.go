package series

import "go.opentelemetry.io/collector/pdata/pcommon"

func (t *Streams[T, M]) expire(oldest uint32, gone func(key uint64, last pcommon.Timestamp, merged bool)) (ended pcommon.Timestamp, bytes, lost int) {
	t.index.keep(func(e *entry) bool {
		s := &t.streams[e.ref]
		if s.seen >= oldest {
			return true
		}
		gone(e.key, s.time, t.outputs[s.output].merged)
		bytes += int(s.bytes)
		t.removeStream(e.ref)
		return false
	})
	for i := range t.outputs {
		if o := &t.outputs[i]; o.streams == 0 && o.seen < oldest && !o.gone {
			ended = max(ended, o.Time)
			bytes += int(o.bytes)
			if o.owed {
				lost++
			}
			o.gone, o.total = true, t.nothing
			t.freeOutputs = append(t.freeOutputs, uint32(i))
		}
	}
	return ended, bytes, lost
}

// removeStream takes a stream out of its output's list. The index is the caller's.
func (t *Streams[T, M]) removeStream(i uint32) {
	s := &t.streams[i]
	o := &t.outputs[s.output]
	if s.prev != 0 {
		t.streams[s.prev-1].next = s.next
	} else {
		o.streams = s.next
	}
	if s.next != 0 {
		t.streams[s.next-1].prev = s.prev
	}
	if !s.stale {
		o.live--
	}
	o.current = false
	s.removed = true
	s.last = t.nothing // whose buckets are nobody's any more
	t.freeStreams = append(t.freeStreams, i)
}

// roomy reports whether over half of a slice is unused.
func roomy(used, size int) bool { return size > 2*used+minSlots }

// compact moves the streams and outputs together once over half of their places
// are free.
func (t *Streams[T, M]) compact() (moved []uint32) {
	streams, outputs := len(t.streams)-len(t.freeStreams), len(t.outputs)-len(t.freeOutputs)
	if !roomy(streams, cap(t.streams)) && !roomy(outputs, cap(t.outputs)) {
		return nil
	}
	// Numbers from 1, as everything that points to a stream or an output has them.
	movedStreams := make([]uint32, len(t.streams)+1)
	kept := make([]stream[T], 0, streams)
	for i := range t.streams {
		if !t.streams[i].removed {
			kept = append(kept, t.streams[i])
			movedStreams[i+1] = uint32(len(kept))
		}
	}
	moved = make([]uint32, len(t.outputs))
	keptOutputs := make([]Output[T], 0, outputs)
	for i := range t.outputs {
		if o := &t.outputs[i]; !o.gone {
			keptOutputs = append(keptOutputs, *o)
			moved[i] = uint32(len(keptOutputs))
		}
	}
	for i := range kept {
		s := &kept[i]
		s.output = moved[s.output] - 1
		s.prev, s.next = movedStreams[s.prev], movedStreams[s.next]
	}
	for i := range keptOutputs {
		o := &keptOutputs[i]
		o.streams, o.decider = movedStreams[o.streams], movedStreams[o.decider]
	}
	for i := range t.index.slots {
		if e := &t.index.slots[i]; e.key != 0 {
			e.ref = movedStreams[e.ref+1] - 1
		}
	}
	t.streams, t.outputs, t.freeStreams, t.freeOutputs = kept, keptOutputs, nil, nil
	return moved
}
