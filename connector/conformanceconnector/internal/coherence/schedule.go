package coherence

import (
	"slices"
	"time"
)

// schedule finds the traces that may have waited enough without a look at the rest: each is in
// the slot of a time before which it has not. A span that comes later does not move its trace;
// whoever takes it out puts it back.
type schedule struct {
	slot  time.Duration // length of one
	slots [SweepsAWindow + 2][]*trace
	next  int // slot to look into, counted since Traces began
	spare []*trace
}

// put schedules a trace for a time, which is at most a window away.
func (s *schedule) put(t *trace, due time.Duration) {
	// The slots that were looked into are for what is due next time around.
	slot := max(int(due/s.slot), s.next) % len(s.slots)
	s.slots[slot] = append(s.slots[slot], t)
}

// removeIf takes the traces out that a test is true for.
func (s *schedule) removeIf(test func(*trace) bool) {
	for i := range s.slots {
		s.slots[i] = slices.DeleteFunc(s.slots[i], test)
	}
}

// until takes the traces out whose slot has begun at a time.
func (s *schedule) until(at time.Duration, each func(*trace)) {
	last := max(int(at/s.slot), s.next)
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
