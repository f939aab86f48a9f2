package conformanceconnector

import "time"

const (
	// leastSampled is how many traces wait at least when fewer are chosen: of few there is
	// little to choose, and a bound that they meet is met by their size.
	leastSampled = 64
	// maxHalvings has one trace in a million judged.
	maxHalvings = 20
)

// sampling says which traces are judged: all, or those that a hash of their ids chooses
// when more come than there is room for. All spans of a trace share its fate, whenever
// they come. It does not change.
type sampling struct {
	halvings int           // one trace in 2^halvings is judged
	changed  time.Duration // since the window began
	wider    bool          // there was one halving more before
}

// chosen tells whether a trace is judged.
func (s *sampling) chosen(hash uint64) bool { return hash>>(64-s.halvings) == 0 }

// begun tells whether a trace that is chosen may have begun before it was: some of its
// spans are not here.
func (s *sampling) begun(hash uint64, at, wait time.Duration) bool {
	return s.wider && at < s.changed+2*wait && hash>>(64-s.halvings-1) != 0
}

// narrow judges half as many traces as before, unless somebody has done so meanwhile.
// Those that wait and are not chosen any more are let go. It tells whether fewer are
// chosen now.
func (w *window) narrow(at time.Duration, than *sampling, unjudged func(*waiting)) bool {
	w.changing.Lock()
	defer w.changing.Unlock()
	if w.sampling.Load() != than {
		return true
	}
	if than.halvings == maxHalvings || w.traces.Load() < leastSampled {
		return false
	}
	now := &sampling{halvings: than.halvings + 1, changed: at}
	w.sampling.Store(now)
	for i := range w.shards {
		traces, spans := w.shards[i].letGo(now, unjudged)
		w.traces.Add(-traces)
		w.spans.Add(-spans)
	}
	return true
}

// letGo lets the traces go that are not chosen.
func (s *windowShard) letGo(now *sampling, unjudged func(*waiting)) (traces, spans int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due.removeIf(func(t *waitingTrace) bool {
		if now.chosen(t.hash) {
			return false
		}
		for i := range t.spans {
			unjudged(&t.spans[i])
		}
		traces++
		spans += int64(len(t.spans))
		// It is not remembered: as long as it is not chosen none of its spans waits.
		s.traces.remove(t)
		return true
	})
	return traces, spans
}

// widen judges twice as many traces, where there is room for more than that.
func (w *window) widen(now time.Time) {
	w.changing.Lock()
	defer w.changing.Unlock()
	s, at := w.sampling.Load(), now.Sub(w.began)
	if s.halvings > 0 && at >= s.changed+2*w.wait && w.traces.Load() < w.maxTraces/4 && w.spans.Load() < w.maxSpans/4 {
		w.sampling.Store(&sampling{halvings: s.halvings - 1, changed: at, wider: true})
	}
}
