// SPDX-License-Identifier: Apache-2.0

package coherence

import "time"

const (
	// leastSampled is the number of waiting traces below which the sampling is not narrowed. Few traces
	// reach a limit because they are large.
	leastSampled = 64
	// maxHalvings limits sampling to one trace in a million.
	maxHalvings = 20
)

// sampling selects the traces that are judged: all, or a sample by the hash of the trace id if there is no
// room for all. All spans of a trace have the same result. It is immutable.
type sampling struct {
	halvings int           // one trace in 2^halvings is judged
	changed  time.Duration // since the start of Traces
	wider    bool          // the previous sampling had one halving more
}

// chosen reports whether a trace is judged.
func (s *sampling) chosen(hash uint64) bool { return hash>>(64-s.halvings) == 0 }

// begun reports whether a trace may have begun before it was selected. Some of its spans are then missing.
func (s *sampling) begun(hash uint64, at, wait time.Duration) bool {
	return s.wider && at < s.changed+2*wait && hash>>(64-s.halvings-1) != 0
}

// narrow halves the share of judged traces, unless another goroutine has already done so. It drops waiting
// traces that are no longer selected. It reports whether the share is smaller than before.
func (t *Traces) narrow(since time.Duration, than *sampling) bool {
	t.changing.Lock()
	defer t.changing.Unlock()
	if t.sampling.Load() != than {
		return true
	}
	if than.halvings == maxHalvings || t.traces.Load() < leastSampled {
		return false
	}
	now := &sampling{halvings: than.halvings + 1, changed: since}
	t.sampling.Store(now)
	for i := range t.shards {
		t.drop(&t.shards[i], now)
	}
	return true
}

// drop removes the traces of a shard that are not selected.
func (t *Traces) drop(s *shard, now *sampling) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, x := range s.waiting {
		if now.chosen(x.hash) {
			continue
		}
		t.leaveOut(x.spans)
		t.unjudged.Add(1)
		t.traces.Add(-1)
		t.spans.Add(-int64(len(x.spans)))
		// It is not recorded as done, because its spans do not wait while it is not selected.
		delete(s.waiting, id)
	}
}

// widen doubles the share of judged traces if there is enough room.
func (t *Traces) widen(now time.Time) {
	t.changing.Lock()
	defer t.changing.Unlock()
	s, at := t.sampling.Load(), now.Sub(t.began)
	traces, spans := t.Waiting()
	if s.halvings > 0 && at >= s.changed+2*t.settings.Window && traces < int64(t.settings.MaxTraces/4) && spans < int64(t.settings.MaxSpans/4) {
		t.sampling.Store(&sampling{halvings: s.halvings - 1, changed: at, wider: true})
	}
}
