// SPDX-License-Identifier: Apache-2.0

package chaos

import "sync"

// ledger notes what became of each item. Items are numbered from 0. All methods are
// safe for concurrent use.
type ledger struct {
	mu    sync.Mutex
	items []item // guarded by mu
}

type item struct {
	accepted  bool
	delivered uint16
}

// tally is what became of all items.
type tally struct {
	offered, accepted, delivered, doubled, dropped int
}

// offer makes n new items and returns the id of the first.
func (l *ledger) offer(n int) (first int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first = len(l.items)
	l.items = append(l.items, make([]item, n)...)
	return first
}

// accept notes that a collector said that it has them.
func (l *ledger) accept(first, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := first; id < first+n; id++ {
		l.items[id].accepted = true
	}
}

// deliver notes that a backend said that it has them. Ids that nobody offered are
// of another test that had the backend's port before.
func (l *ledger) deliver(ids []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		if id < len(l.items) {
			l.items[id].delivered++
		}
	}
}

func (l *ledger) tally() tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := tally{offered: len(l.items)}
	for _, item := range l.items {
		if item.accepted {
			sum.accepted++
		}
		switch {
		case item.delivered > 0:
			sum.delivered++
			sum.doubled += int(item.delivered) - 1
		case item.accepted:
			sum.dropped++
		}
	}
	return sum
}
