// SPDX-License-Identifier: Apache-2.0

package livetail

import (
	"sync"
	"sync/atomic"
	"time"
)

// watch is a service that a person watches.
type watch struct {
	// The hub's mu guards these two.
	end  *time.Timer
	ends time.Time // when end has to fire

	mu    sync.Mutex
	pairs []Pair // the oldest is at first, once it is full
	first int
	last  uint64 // the number of the last pair
	taken map[string]taken
}

// taken is how many items a stage has taken in a second.
type taken struct {
	second int64
	items  int
}

func (w *watch) take(stage string, items int, now time.Time) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.taken[stage]
	if second := now.Unix(); t.second != second {
		t = taken{second: second}
	}
	n := min(items, MaxRate-t.items)
	t.items += n
	w.taken[stage] = t
	return n
}

func (w *watch) publish(pair Pair, seq *atomic.Uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	// Counted under the lock, so that the numbers of a watch are in order.
	pair.Seq = seq.Add(1)
	w.last = pair.Seq
	if len(w.pairs) < MaxPairs {
		w.pairs = append(w.pairs, pair)
		return
	}
	w.pairs[w.first] = pair
	w.first = (w.first + 1) % MaxPairs
}

// since returns the pairs after a number.
func (w *watch) since(after uint64) Answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := Answer{Last: w.last, Pairs: []Pair{}}
	for i := range w.pairs {
		if pair := w.pairs[(w.first+i)%len(w.pairs)]; pair.Seq > after {
			a.Pairs = append(a.Pairs, pair)
		}
	}
	return a
}
