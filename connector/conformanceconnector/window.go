package conformanceconnector

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	windowShards = 16
	// longestWait is for how many windows a trace waits that spans keep coming for.
	longestWait = 4
	// maxTraceSpans bounds one trace, so that it cannot take the room of all.
	maxTraceSpans = 4096
)

// waiting is what a span is judged by when its trace is.
type waiting struct {
	id, parent pcommon.SpanID
	start, end int64
	kind       ptrace.SpanKind
	verdict    *spanVerdict
}

func newWaiting(span ptrace.Span, v *spanVerdict) waiting {
	return waiting{span.SpanID(), span.ParentSpanID(), nanoseconds(span.StartTimestamp()), nanoseconds(span.EndTimestamp()), span.Kind(), v}
}

// nanoseconds is a timestamp that can be subtracted from another without overflow.
func nanoseconds(t pcommon.Timestamp) int64 { return int64(min(t, math.MaxInt64)) }

// waitingTrace is a trace whose spans wait for the rest, or is done.
type waitingTrace struct {
	id          pcommon.TraceID
	spans       []waiting
	first, last time.Duration // of arrival, since the window began
	hash        uint64        // of the id
	cut         bool          // not all spans are here
	done        bool          // it is judged, or will not be
}

// refusal says why a span does not wait.
type refusal int

const (
	refusedLate   refusal = iota // its trace is done
	refusedTraces                // one trace too many
	refusedSpans                 // one span too many
	refusedOther                 // its trace is not one of those that are judged
)

// window holds spans until their trace is quiet. It is safe for concurrent use.
type window struct {
	wait      time.Duration
	began     time.Time
	maxTraces int64
	maxSpans  int64
	traces    atomic.Int64
	spans     atomic.Int64
	shards    [windowShards]windowShard

	sampling atomic.Pointer[sampling]
	changing sync.Mutex // held to change it
}

type windowShard struct {
	mu     sync.Mutex
	traces traceTable
	due    schedule
	// done are the last that are, a ring.
	done     []*waitingTrace
	mostDone int
	nextDone int
}

func newWindow(maxTraces, maxSpans int, wait time.Duration) *window {
	w := &window{wait: wait, began: time.Now(), maxTraces: int64(maxTraces), maxSpans: int64(maxSpans)}
	w.sampling.Store(&sampling{})
	for i := range w.shards {
		w.shards[i].mostDone = max(maxTraces/windowShards, 1)
		w.shards[i].due.slot = max(wait/sweepsAWindow, 1)
	}
	return w
}

// add has the spans of a batch wait, as far as there is room. Where there is none it lets
// other traces go. Of traces with a span that does not wait, it says how many do, and why
// the next does not.
func (w *window) add(b *spanBatch, now time.Time, refused func(g *traceSpans, waits int, why refusal), unjudged func(*waiting)) {
	at := now.Sub(w.began)
	for last := false; ; {
		before := w.sampling.Load()
		// What is not needed of it is given back: cores that count one by one wait for each
		// other.
		room := room{
			traces: admit(&w.traces, w.maxTraces, len(b.traces)), spans: admit(&w.spans, w.maxSpans, len(b.spans)), last: last,
		}
		for i, first := range b.shards {
			if first != nil {
				w.shards[i].add(first, at, w, &room, refused)
			}
		}
		w.traces.Add(-int64(room.traces))
		w.spans.Add(-int64(room.spans))
		if !room.lacked {
			return
		}
		last = !w.narrow(at, before, unjudged)
	}
}

// room is for how many more traces and spans there is some.
type room struct {
	traces, spans int
	last          bool // nobody makes more
	lacked        bool // traces are left
}

// lacks tells whether a trace is left for when there is room for all of its spans.
func (r *room) lacks(isNew bool, spans int) bool {
	if r.last || (!isNew || r.traces > 0) && r.spans >= spans {
		return false
	}
	r.lacked = true
	return true
}

// add has the spans of a batch's traces of this shard wait.
func (s *windowShard) add(first *traceSpans, at time.Duration, w *window, room *room, refused func(g *traceSpans, waits int, why refusal)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sampling := w.sampling.Load() // which does not change before this shard is unlocked
	traces, spans := 0, 0
	for g := first; g != nil; g = g.sameShard {
		if g.known = s.traces.find(g.hash, &g.id); g.known == nil && !g.settled {
			traces++
			spans += g.count
		}
	}
	// What comes together is judged together, so it stays together.
	newTraces, newSpans := make([]waitingTrace, traces), make([]waiting, 0, min(spans, room.spans))
	for g := first; g != nil; g = g.sameShard {
		t := g.known
		switch {
		case g.settled:
			continue
		case !sampling.chosen(g.hash):
			g.settled = true
			refused(g, 0, refusedOther)
			continue
		case t != nil && t.done:
			g.settled = true
			refused(g, 0, refusedLate)
			continue
		case room.lacks(t == nil, min(g.count, t.room())):
			continue
		case t == nil:
			t, newTraces = &newTraces[0], newTraces[1:]
			t.id, t.hash, t.first = g.id, g.hash, at
			t.cut = sampling.begun(g.hash, at, w.wait)
			s.traces.add(t)
			if room.traces == 0 {
				// Its other spans would be without their parents, so they do not wait either.
				g.settled = true
				s.finish(t)
				refused(g, 0, refusedTraces)
				continue
			}
			room.traces--
			s.due.put(t, at+w.wait)
		}
		g.settled = true
		t.last = at
		waits := min(g.count, t.room(), room.spans)
		room.spans -= waits
		if g.known != nil {
			t.spans = g.appendTo(t.spans, waits)
		} else {
			from := len(newSpans)
			newSpans = g.appendTo(newSpans, waits)
			t.spans = newSpans[from:len(newSpans):len(newSpans)]
		}
		if waits < g.count {
			t.cut = true
			refused(g, waits, refusedSpans)
		}
	}
}

// room is how many more spans the trace can have.
func (t *waitingTrace) room() int {
	if t == nil {
		return maxTraceSpans
	}
	return maxTraceSpans - len(t.spans)
}

// admit counts so many more, or as many as there can be, and returns how many.
func admit(count *atomic.Int64, most int64, more int) int {
	over := count.Add(int64(more)) - most
	if over <= 0 {
		return more
	}
	over = min(over, int64(more))
	count.Add(-over)
	return more - int(over)
}

// ended takes the traces out of a shard that have waited enough.
func (w *window) ended(shard int, now time.Time, ended []waitingTrace) []waitingTrace {
	s := &w.shards[shard]
	at := now.Sub(w.began)
	spans := 0
	s.mu.Lock()
	s.due.until(at, func(t *waitingTrace) {
		longest := t.first + longestWait*w.wait
		if due := min(t.last+w.wait, longest); due > at {
			s.due.put(t, due)
			return
		}
		t.cut = t.cut || at-t.last < w.wait
		spans += len(t.spans)
		ended = append(ended, *t)
		t.spans = nil
		s.finish(t)
	})
	s.mu.Unlock()
	w.traces.Add(-int64(len(ended)))
	w.spans.Add(-int64(spans))
	return ended
}

// finish remembers that a trace is judged, or will not be, and forgets the one that was
// done first.
func (s *windowShard) finish(t *waitingTrace) {
	t.done = true
	if len(s.done) < s.mostDone {
		s.done = append(s.done, t)
		return
	}
	s.traces.remove(s.done[s.nextDone])
	s.done[s.nextDone] = t
	s.nextDone = (s.nextDone + 1) % s.mostDone
}
