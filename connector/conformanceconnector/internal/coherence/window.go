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

// Add adds spans of one trace. If there is no room, it makes the sample smaller. Spans of traces that the sample does
// not have are counted as not judged.
func (t *Traces) Add(id pcommon.TraceID, spans []Span, now time.Time) {
	hash, since := hashTrace(id), now.Sub(t.began)
	s := &t.shards[hash>>32%shards]
	for last := false; len(spans) > 0; {
		before := t.sampling.Load()
		if !before.chosen(hash) {
			t.leaveOut(spans)
			return
		}
		if spans = t.addTo(s, id, hash, spans, since, last); len(spans) > 0 {
			last = !t.narrow(since, before)
		}
	}
}

// addTo adds spans to their trace in a shard, or counts why they do not wait. It returns those without room, unless
// last is set: no more room will be made.
func (t *Traces) addTo(s *shard, id pcommon.TraceID, hash uint64, spans []Span, since time.Duration, last bool) (rest []Span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sampling := t.sampling.Load() // a smaller one drops the traces of this shard later
	x := s.waiting[id]
	begins := x == nil
	switch {
	case !sampling.chosen(hash):
		t.leaveOut(spans)
		return nil
	case begins && s.isDone(id):
		for i := range spans {
			spans[i].Of.Service.Late.Add(1)
		}
		return nil
	case begins && admit(&t.traces, 1, t.settings.MaxTraces) == 0:
		if !last {
			return spans
		}
		// The trace's other spans would lack their parents, so they do not wait either.
		s.finish(id)
		t.results.Refuse(report.LimitTraces, 1)
		for i := range spans {
			spans[i].Of.Service.Unjudged.Add(1)
		}
		return nil
	}
	if begins {
		x = &trace{id: id, hash: hash, first: since}
		x.cut = sampling.begun(hash, since, t.settings.Window)
	}
	if most := maxTraceSpans - len(x.spans); len(spans) > most {
		x.cut = true
		t.leaveOut(spans[most:])
		spans = spans[:most]
	}
	n := admit(&t.spans, len(spans), t.settings.MaxSpans)
	spans, rest = spans[:n], spans[n:]
	if last && len(rest) > 0 {
		x.cut = true
		t.leaveOut(rest)
		rest = nil
	}
	switch {
	case n > 0:
		x.spans = append(x.spans, spans...)
		x.last = since
		s.waiting[id] = x
	case begins:
		t.traces.Add(-1)
	}
	return rest
}

// admit adds up to n to count, which gets no larger than most, and returns how many it added.
func admit(count *atomic.Int64, n, most int) int {
	over := max(int(count.Add(int64(n)))-most, 0)
	over = min(over, n)
	count.Add(-int64(over))
	return n - over
}

// leaveOut counts spans that are not judged, because there is no room for all.
func (t *Traces) leaveOut(spans []Span) {
	t.results.Refuse(report.LimitSpans, int64(len(spans)))
	for i := range spans {
		spans[i].Of.Service.Unjudged.Add(1)
	}
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
