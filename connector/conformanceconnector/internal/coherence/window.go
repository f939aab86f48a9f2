package coherence

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

const (
	shards = 16
	// SweepsAWindow is how often traces are looked through in a window, so that a trace waits
	// little longer than it should.
	SweepsAWindow = 8
	// LongestWait is for how many windows a trace waits that spans keep coming for.
	LongestWait = 4
	// maxTraceSpans bounds one trace, so that it cannot take the room of all.
	maxTraceSpans = 4096
)

// trace is a trace whose spans wait for the rest, or is done.
type trace struct {
	id          pcommon.TraceID
	hash        uint64 // of the id
	spans       []Span
	first, last time.Duration // of arrival, since Traces began
	cut         bool          // not all spans are here
	done        bool          // it is judged, or will not be
}

var traceSeed = maphash.MakeSeed()

func hashTrace(id pcommon.TraceID) uint64 { return maphash.Bytes(traceSeed, id[:]) }

// shard is the part of the traces that one lock guards.
type shard struct {
	mu     sync.Mutex
	traces map[pcommon.TraceID]*trace
	due    schedule
	// done are the last that are, a ring.
	done     []*trace
	mostDone int
	nextDone int
}

// add lets the spans of a batch wait, as far as there is room. Where there is none it drops
// other traces.
func (t *Traces) add(b *Batch) {
	at := b.now.Sub(t.began)
	for last := false; ; {
		before := t.sampling.Load()
		// What is not needed of it is given back: cores that count one by one wait for each
		// other.
		room := room{
			traces: admit(&t.traces, t.settings.MaxTraces, len(b.traces)),
			spans:  admit(&t.spans, t.settings.MaxSpans, len(b.spans)), last: last,
		}
		for i, first := range b.shards {
			if first != nil {
				t.addTo(&t.shards[i], first, at, &room)
			}
		}
		t.traces.Add(-int64(room.traces))
		t.spans.Add(-int64(room.spans))
		if !room.lacked {
			return
		}
		last = !t.narrow(at, before)
	}
}

// room is for how many more traces and spans there is some.
type room struct {
	traces, spans int
	last          bool // there will be no more
	lacked        bool // traces are left
}

// lacks reports whether a trace is left for when there is room for all of its spans.
func (r *room) lacks(isNew bool, spans int) bool {
	if r.last || (!isNew || r.traces > 0) && r.spans >= spans {
		return false
	}
	r.lacked = true
	return true
}

// addTo lets the spans of a batch's traces of one shard wait.
func (t *Traces) addTo(s *shard, first *batchTrace, at time.Duration, room *room) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sampling := t.sampling.Load() // which does not change before this shard is unlocked
	traces, spans := 0, 0
	for g := first; g != nil; g = g.sameShard {
		if g.known = s.traces[g.id]; g.known == nil && !g.handled {
			traces++
			spans += g.count
		}
	}
	// What comes together is judged together, so it stays together.
	newTraces, newSpans := make([]trace, traces), make([]Span, 0, min(spans, room.spans))
	for g := first; g != nil; g = g.sameShard {
		known := g.known
		switch {
		case g.handled:
			continue
		case !sampling.chosen(g.hash):
			g.handled = true
			t.refuse(g, 0, noRoom)
			continue
		case known != nil && known.done:
			g.handled = true
			t.refuse(g, 0, late)
			continue
		case room.lacks(known == nil, min(g.count, known.room())):
			continue
		case known == nil:
			known, newTraces = &newTraces[0], newTraces[1:]
			known.id, known.hash, known.first = g.id, g.hash, at
			known.cut = sampling.begun(g.hash, at, t.settings.Window)
			s.traces[g.id] = known
			if room.traces == 0 {
				// Its other spans would be without their parents, so they do not wait either.
				g.handled = true
				s.finish(known)
				t.refuse(g, 0, noTrace)
				continue
			}
			room.traces--
			s.due.put(known, at+t.settings.Window)
		}
		g.handled = true
		known.last = at
		waits := min(g.count, known.room(), room.spans)
		room.spans -= waits
		if g.known != nil {
			known.spans = g.appendTo(known.spans, waits)
		} else {
			from := len(newSpans)
			newSpans = g.appendTo(newSpans, waits)
			known.spans = newSpans[from:len(newSpans):len(newSpans)]
		}
		if waits < g.count {
			known.cut = true
			t.refuse(g, waits, noRoom)
		}
	}
}

// room returns how many more spans the trace can have.
func (t *trace) room() int {
	if t == nil {
		return maxTraceSpans
	}
	return maxTraceSpans - len(t.spans)
}

// admit counts so many more, or as many as there can be, and returns how many.
func admit(count *atomic.Int64, most, more int) int {
	over := int(count.Add(int64(more))) - most
	if over <= 0 {
		return more
	}
	over = min(over, more)
	count.Add(-int64(over))
	return more - over
}

// ended takes the traces out of a shard that have waited enough.
func (t *Traces) ended(s *shard, at time.Duration, ended []trace) []trace {
	spans := 0
	s.mu.Lock()
	s.due.until(at, func(x *trace) {
		longest := x.first + LongestWait*t.settings.Window
		if due := min(x.last+t.settings.Window, longest); due > at {
			s.due.put(x, due)
			return
		}
		x.cut = x.cut || at-x.last < t.settings.Window
		spans += len(x.spans)
		ended = append(ended, *x)
		x.spans = nil
		s.finish(x)
	})
	s.mu.Unlock()
	t.traces.Add(-int64(len(ended)))
	t.spans.Add(-int64(spans))
	return ended
}

// finish remembers that a trace is judged, or will not be, and forgets the one that was done
// first.
func (s *shard) finish(t *trace) {
	t.done = true
	if len(s.done) < s.mostDone {
		s.done = append(s.done, t)
		return
	}
	delete(s.traces, s.done[s.nextDone].id)
	s.done[s.nextDone] = t
	s.nextDone = (s.nextDone + 1) % s.mostDone
}
