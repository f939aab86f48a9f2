// SPDX-License-Identifier: Apache-2.0

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
	// SweepsAWindow is the number of sweeps in a window. A trace waits at most one sweep longer than it
	// should.
	SweepsAWindow = 8
	// LongestWait is the maximum wait of a trace that keeps getting spans, in windows.
	LongestWait = 4
	// maxTraceSpans limits one trace, so that it cannot use all the room.
	maxTraceSpans = 4096
)

// trace is a trace that waits for more spans, or is done.
type trace struct {
	id          pcommon.TraceID
	hash        uint64 // of the trace id
	spans       []Span
	first, last time.Duration // arrival, since the start of Traces
	cut         bool          // spans are missing here
	done        bool          // already judged, or never will be
}

var traceSeed = maphash.MakeSeed()

func hashTrace(id pcommon.TraceID) uint64 { return maphash.Bytes(traceSeed, id[:]) }

// shard is the part of the traces that one lock guards.
type shard struct {
	mu     sync.Mutex
	traces map[pcommon.TraceID]*trace
	due    schedule
	// ring of the last traces that are done
	done     []*trace
	mostDone int
	nextDone int
}

// add adds the spans of a batch to the traces that wait. If there is no room, it samples fewer traces.
func (t *Traces) add(b *Batch) {
	at := b.now.Sub(t.began)
	for last := false; ; {
		before := t.sampling.Load()
		// The room for the whole batch is reserved at once and the rest returned, because counting span by
		// span would make cores contend.
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

// room is the remaining room for traces and spans of a batch.
type room struct {
	traces, spans int
	last          bool // no more room will be made
	lacked        bool // traces were left out
}

// lacks reports whether the trace must be left out until there is room for all its spans.
func (r *room) lacks(isNew bool, spans int) bool {
	if r.last || (!isNew || r.traces > 0) && r.spans >= spans {
		return false
	}
	r.lacked = true
	return true
}

// addTo adds the spans of the batch's traces of one shard to the traces that wait.
func (t *Traces) addTo(s *shard, first *batchTrace, since time.Duration, room *room) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sampling := t.sampling.Load() // does not change while this shard is locked
	traces, spans := 0, 0
	for g := first; g != nil; g = g.sameShard {
		if g.known = s.traces[g.id]; g.known == nil && !g.handled {
			traces++
			spans += g.count
		}
	}
	// One allocation for all, because traces that arrive together are judged together.
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
			known.id, known.hash, known.first = g.id, g.hash, since
			known.cut = sampling.begun(g.hash, since, t.settings.Window)
			s.traces[g.id] = known
			if room.traces == 0 {
				// The trace's other spans would lack their parents, so they do not wait either.
				g.handled = true
				s.finish(known)
				t.refuse(g, 0, noTrace)
				continue
			}
			room.traces--
			s.due.put(known, since+t.settings.Window)
		}
		g.handled = true
		known.last = since
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

// room returns how many more spans the trace can hold.
func (t *trace) room() int {
	if t == nil {
		return maxTraceSpans
	}
	return maxTraceSpans - len(t.spans)
}

// admit adds up to more to count without exceeding most, and returns how much it added.
func admit(count *atomic.Int64, most, more int) int {
	over := int(count.Add(int64(more))) - most
	if over <= 0 {
		return more
	}
	over = min(over, more)
	count.Add(-int64(over))
	return more - over
}

// ended removes the traces of a shard that have waited long enough, and appends them to ended.
func (t *Traces) ended(s *shard, since time.Duration, ended []trace) []trace {
	spans := 0
	s.mu.Lock()
	s.due.until(since, func(x *trace) {
		longest := x.first + LongestWait*t.settings.Window
		if due := min(x.last+t.settings.Window, longest); due > since {
			s.due.put(x, due)
			return
		}
		x.cut = x.cut || since-x.last < t.settings.Window
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

// complete removes the waiting traces of a shard that are complete, and returns them.
func (t *Traces) complete(s *shard, x *index) (all []trace) {
	spans := 0
	s.mu.Lock()
	s.due.removeIf(func(w *trace) bool {
		if w.cut || !x.complete(w.spans) {
			return false
		}
		spans += len(w.spans)
		all = append(all, *w)
		w.spans = nil
		s.finish(w)
		return true
	})
	s.mu.Unlock()
	t.traces.Add(-int64(len(all)))
	t.spans.Add(-int64(spans))
	return all
}

// finish records that a trace is done, and removes the oldest such record.
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
