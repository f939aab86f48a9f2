// SPDX-License-Identifier: Apache-2.0

package coherence

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
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

// trace is a trace that waits for more spans.
type trace struct {
	id          pcommon.TraceID
	hash        uint64 // of the trace id
	spans       []Span
	first, last time.Duration // arrival, since the start of Traces
	cut         bool          // spans are missing here
}

var traceSeed = maphash.MakeSeed()

func hashTrace(id pcommon.TraceID) uint64 { return maphash.Bytes(traceSeed, id[:]) }

// shard is the part of the traces that one lock guards.
type shard struct {
	mu      sync.Mutex
	waiting map[pcommon.TraceID]*trace
	// done are the last traces that are judged, or never will be. When it is full, it becomes doneBefore.
	done, doneBefore map[pcommon.TraceID]struct{}
	mostDone         int
}

// Add adds a span to its trace, and reports whether the sample has the trace. The caller counts the spans of
// other traces, by Unjudged. If there is no room, Add makes the sample smaller.
func (t *Traces) Add(id pcommon.TraceID, span Span, now time.Time) (sampled bool) {
	hash, since := hashTrace(id), now.Sub(t.began)
	s := &t.shards[hash>>32%shards]
	for last := false; ; {
		before := t.sampling.Load()
		if !before.chosen(hash) {
			return false
		}
		if t.addTo(s, id, hash, span, since, last) {
			return true
		}
		last = !t.narrow(since, before)
	}
}

// addTo adds a span to its trace in a shard, or counts why it does not wait. It returns false if there is no
// room, unless last is set: no more room will be made.
func (t *Traces) addTo(s *shard, id pcommon.TraceID, hash uint64, span Span, since time.Duration, last bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sampling := t.sampling.Load() // a smaller one drops the traces of this shard later
	x := s.waiting[id]
	switch {
	case !sampling.chosen(hash):
		t.Unjudged(span.Of, 1)
		return true
	case x == nil && s.isDone(id):
		span.Of.Service.Late.Add(1)
		return true
	case x != nil && len(x.spans) == maxTraceSpans:
		x.cut = true
		t.Unjudged(span.Of, 1)
		return true
	case x == nil && !admit(&t.traces, t.settings.MaxTraces):
		if last {
			// The trace's other spans would lack their parents, so they do not wait either.
			s.finish(id)
			t.results.Refuse(report.LimitTraces, 1)
			span.Of.Service.Unjudged.Add(1)
		}
		return last
	}
	if x == nil {
		x = &trace{id: id, hash: hash, first: since}
		x.cut = sampling.begun(hash, since, t.settings.Window)
	}
	if !admit(&t.spans, t.settings.MaxSpans) {
		x.cut = x.cut || last
		if s.waiting[id] == nil {
			t.traces.Add(-1)
		}
		if last {
			t.Unjudged(span.Of, 1)
		}
		return last
	}
	x.spans = append(x.spans, span)
	x.last = since
	s.waiting[id] = x
	return true
}

// admit adds one to count unless it is at most, and reports whether it did.
func admit(count *atomic.Int64, most int) bool {
	if count.Add(1) <= int64(most) {
		return true
	}
	count.Add(-1)
	return false
}

// Unjudged counts spans of traces that are not judged, because there is no room for all.
func (t *Traces) Unjudged(operation *Operation, n int64) {
	t.results.Refuse(report.LimitSpans, n)
	operation.Service.Unjudged.Add(n)
}

// ended removes the traces of a shard that have waited long enough, and returns them.
func (t *Traces) ended(s *shard, since time.Duration) []*trace {
	return t.take(s, func(x *trace) bool {
		if min(x.last+t.settings.Window, x.first+LongestWait*t.settings.Window) > since {
			return false
		}
		x.cut = x.cut || since-x.last < t.settings.Window
		return true
	})
}

// complete removes the waiting traces of a shard that are complete, and returns them.
func (t *Traces) complete(s *shard, spans *index) []*trace {
	return t.take(s, func(x *trace) bool { return !x.cut && spans.complete(x.spans) })
}

// take removes the waiting traces of a shard for which test returns true, and returns them. They are done.
func (t *Traces) take(s *shard, test func(*trace) bool) (all []*trace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, x := range s.waiting {
		if test(x) {
			s.finish(id)
			t.traces.Add(-1)
			t.spans.Add(-int64(len(x.spans)))
			all = append(all, x)
		}
	}
	return all
}

// finish records that a trace is done, and forgets the oldest such traces.
func (s *shard) finish(id pcommon.TraceID) {
	delete(s.waiting, id)
	if len(s.done) >= s.mostDone {
		s.doneBefore, s.done = s.done, map[pcommon.TraceID]struct{}{}
	}
	s.done[id] = struct{}{}
}

// isDone reports whether a trace is done, as far as that is remembered.
func (s *shard) isDone(id pcommon.TraceID) bool {
	_, now := s.done[id]
	_, before := s.doneBefore[id]
	return now || before
}
