package coherence

import "time"

const (
	// leastSampled is how many traces wait at least when fewer are chosen: of few there is
	// little to choose, and a bound that they meet is met by their size.
	leastSampled = 64
	// maxHalvings has one trace in a million judged.
	maxHalvings = 20
)

// sampling is which traces are judged: all, or those that a hash of their ids chooses when more
// come than there is room for. All spans of a trace share its fate, whenever they come. It does
// not change.
type sampling struct {
	halvings int           // one trace in 2^halvings is judged
	changed  time.Duration // since Traces began
	wider    bool          // there was one halving more before
}

// chosen reports whether a trace is judged.
func (s *sampling) chosen(hash uint64) bool { return hash>>(64-s.halvings) == 0 }

// begun reports whether a trace that is chosen may have begun before it was: some of its spans
// are not here.
func (s *sampling) begun(hash uint64, at, wait time.Duration) bool {
	return s.wider && at < s.changed+2*wait && hash>>(64-s.halvings-1) != 0
}

// narrow judges half as many traces as before, unless another goroutine has done so meanwhile.
// Those that wait and are not chosen any more are dropped. It reports whether fewer are chosen
// now.
func (t *Traces) narrow(at time.Duration, than *sampling) bool {
	t.changing.Lock()
	defer t.changing.Unlock()
	if t.sampling.Load() != than {
		return true
	}
	if than.halvings == maxHalvings || t.traces.Load() < leastSampled {
		return false
	}
	now := &sampling{halvings: than.halvings + 1, changed: at}
	t.sampling.Store(now)
	for i := range t.shards {
		t.drop(&t.shards[i], now)
	}
	return true
}

// drop drops the traces of a shard that are not chosen.
func (t *Traces) drop(s *shard, now *sampling) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due.removeIf(func(x *trace) bool {
		if now.chosen(x.hash) {
			return false
		}
		for i := range x.spans {
			t.Unjudged(x.spans[i].Of, 1)
		}
		t.traces.Add(-1)
		t.spans.Add(-int64(len(x.spans)))
		// It is not remembered: as long as it is not chosen none of its spans waits.
		delete(s.traces, x.id)
		return true
	})
}

// widen judges twice as many traces, where there is room for more than that.
func (t *Traces) widen(now time.Time) {
	t.changing.Lock()
	defer t.changing.Unlock()
	s, at := t.sampling.Load(), now.Sub(t.began)
	traces, spans := t.Waiting()
	if s.halvings > 0 && at >= s.changed+2*t.settings.Window && traces < int64(t.settings.MaxTraces/4) && spans < int64(t.settings.MaxSpans/4) {
		t.sampling.Store(&sampling{halvings: s.halvings - 1, changed: at, wider: true})
	}
}
