package conformanceconnector

import (
	"encoding/binary"
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

// waitingTrace is a trace whose spans wait for the rest.
type waitingTrace struct {
	id          pcommon.TraceID
	spans       []waiting
	first, last time.Time // of arrival
	cut         bool      // not all spans are here
}

// kept says what became of a span.
type kept int

const (
	keptWaiting   kept = iota
	keptLate           // its trace is judged
	keptNotTraces      // one trace too many
	keptNotSpans       // one span too many
)

// window holds spans until their trace is quiet. It is safe for concurrent use.
type window struct {
	wait      time.Duration
	maxTraces int64
	maxSpans  int64
	traces    atomic.Int64
	spans     atomic.Int64
	shards    [windowShards]windowShard
}

type windowShard struct {
	mu     sync.Mutex
	traces map[pcommon.TraceID]*waitingTrace
	done   remembered // traces that are judged or will not be
}

func newWindow(maxTraces, maxSpans int, wait time.Duration) *window {
	w := &window{wait: wait, maxTraces: int64(maxTraces), maxSpans: int64(maxSpans)}
	for i := range w.shards {
		w.shards[i].traces = map[pcommon.TraceID]*waitingTrace{}
		w.shards[i].done = newRemembered(max(maxTraces/windowShards, 1))
	}
	return w
}

func (w *window) shard(id pcommon.TraceID) *windowShard {
	return &w.shards[mix(binary.BigEndian.Uint64(id[:8])^binary.BigEndian.Uint64(id[8:]))%windowShards]
}

// add has a span wait, if there is room.
func (w *window) add(id pcommon.TraceID, span waiting, now time.Time) kept {
	s := w.shard(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.traces[id]
	if t == nil {
		if s.done.has(id) {
			return keptLate
		}
		if !admit(&w.traces, w.maxTraces) {
			// Its other spans would be without their parents, so they do not wait either.
			s.done.add(id)
			return keptNotTraces
		}
		t = &waitingTrace{id: id, first: now}
		s.traces[id] = t
	}
	t.last = now
	if len(t.spans) >= maxTraceSpans || !admit(&w.spans, w.maxSpans) {
		t.cut = true
		return keptNotSpans
	}
	t.spans = append(t.spans, span)
	return keptWaiting
}

// admit counts one more, if there can be one.
func admit(count *atomic.Int64, most int64) bool {
	if count.Add(1) <= most {
		return true
	}
	count.Add(-1)
	return false
}

// ended takes the traces out that have waited enough.
func (w *window) ended(now time.Time) (ended []*waitingTrace) {
	for i := range w.shards {
		s := &w.shards[i]
		s.mu.Lock()
		for id, t := range s.traces {
			quiet := now.Sub(t.last) >= w.wait
			if !quiet && now.Sub(t.first) < longestWait*w.wait {
				continue
			}
			t.cut = t.cut || !quiet
			delete(s.traces, id)
			s.done.add(id)
			w.traces.Add(-1)
			w.spans.Add(-int64(len(t.spans)))
			ended = append(ended, t)
		}
		s.mu.Unlock()
	}
	return ended
}

// remembered is a set of the last traces that were added. It is not safe for
// concurrent use.
type remembered struct {
	ids  map[pcommon.TraceID]struct{}
	ring []pcommon.TraceID
	next int
}

func newRemembered(most int) remembered {
	return remembered{ids: map[pcommon.TraceID]struct{}{}, ring: make([]pcommon.TraceID, most)}
}

func (r *remembered) has(id pcommon.TraceID) bool {
	_, ok := r.ids[id]
	return ok
}

// add remembers a trace in the place of the one that was added first.
func (r *remembered) add(id pcommon.TraceID) {
	if r.has(id) {
		return
	}
	delete(r.ids, r.ring[r.next])
	r.ids[id], r.ring[r.next] = struct{}{}, id
	r.next = (r.next + 1) % len(r.ring)
}
