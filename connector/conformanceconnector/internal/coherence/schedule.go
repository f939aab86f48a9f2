// SPDX-License-Identifier: Apache-2.0

package coherence

import (
	"slices"
	"time"
)

// schedule is a timing wheel of waiting traces, so that not all traces are examined each time. A trace is
// in the slot of its earliest due time. A later span does not move its trace: the caller that takes the
// trace out puts it back.
type schedule struct {
	slot  time.Duration // length of a slot
	slots [SweepsAWindow + 2][]*trace
	next  int // next slot to examine, counted from the start of Traces
	spare []*trace
}

// put schedules a trace. The due time is at most one window in the future.
func (s *schedule) put(t *trace, due time.Duration) {
	// Slots before next are reused for the next turn of the wheel.
	slot := max(int(due/s.slot), s.next) % len(s.slots)
	s.slots[slot] = append(s.slots[slot], t)
}

// removeIf removes the traces for which test returns true.
func (s *schedule) removeIf(test func(*trace) bool) {
	for i := range s.slots {
		s.slots[i] = slices.DeleteFunc(s.slots[i], test)
	}
}

// until removes the traces whose slot has begun, and calls each for them.
func (s *schedule) until(now time.Duration, each func(*trace)) {
	last := max(int(now/s.slot), s.next)
	first := max(s.next, last-len(s.slots)+1)
	s.next = last
	for slot := first; slot <= last; slot++ {
		traces := s.slots[slot%len(s.slots)]
		s.slots[slot%len(s.slots)] = s.spare[:0]
		for _, t := range traces {
			each(t)
		}
		clear(traces)
		s.spare = traces
	}
}
