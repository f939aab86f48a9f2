// SPDX-License-Identifier: Apache-2.0

package explore

import "sync"

// Ledger records what became of each item, and finds the invariants that do not hold.
type Ledger struct {
	mu    sync.Mutex
	items []*item
	times int // deliveries, so far
}

// item is one item, whose number is its place in the ledger.
type item struct {
	stream   int
	accepted bool // its sender was told so
	delivered,
	first, // the delivery that was its first
	kept, // as a dead letter
	refusals int
	twice   bool // it may come twice: somebody got no answer, or died with it
	excused bool // it may be lost: the disk was not told to keep it through a power failure
	dropped bool // it may be set aside, and nobody wants it to be kept
}

// Offer returns the number of a new item. The items of a stream are offered one after the other was accepted.
func (l *Ledger) Offer(stream int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = append(l.items, &item{stream: stream})
	return len(l.items) - 1
}

func (l *Ledger) each(ids []int, do func(*item)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		do(l.items[id])
	}
}

// Accepted notes that the sender of items was told that they are accepted.
func (l *Ledger) Accepted(ids []int) { l.each(ids, func(i *item) { i.accepted = true }) }

// Delivered notes that items have arrived.
func (l *Ledger) Delivered(ids []int) {
	l.each(ids, func(i *item) {
		l.times++
		if i.delivered++; i.delivered == 1 {
			i.first = l.times
		}
	})
}

// Refused notes that items were refused for good.
func (l *Ledger) Refused(ids []int) { l.each(ids, func(i *item) { i.refusals++ }) }

// Kept notes that items are dead letters.
func (l *Ledger) Kept(ids []int) { l.each(ids, func(i *item) { i.kept++ }) }

// Dropped notes that items may be set aside, and are kept nowhere.
func (l *Ledger) Dropped(ids []int) { l.each(ids, func(i *item) { i.dropped = true }) }

// Unsure notes that somebody cannot know whether items have arrived, so that they may come twice.
func (l *Ledger) Unsure(ids []int) { l.each(ids, func(i *item) { i.twice = true }) }

// Forgotten notes that a disk that was not told to keep items has lost power. They may be lost, and come again.
func (l *Ledger) Forgotten(ids []int) {
	l.each(ids, func(i *item) { i.twice, i.excused = true, i.excused || i.delivered == 0 })
}

// Refusals returns how often an item was refused for good.
func (l *Ledger) Refusals(id int) (n int) {
	l.each([]int{id}, func(i *item) { n = i.refusals })
	return n
}

// Arrived reports whether an item was delivered.
func (l *Ledger) Arrived(id int) (yes bool) {
	l.each([]int{id}, func(i *item) { yes = i.delivered > 0 })
	return yes
}

// Missing returns the items that were accepted, and are nowhere.
func (l *Ledger) Missing() (ids []int) {
	for id, i := range l.items {
		if i.accepted && i.delivered+i.kept == 0 && !i.excused && !i.dropped {
			ids = append(ids, id)
		}
	}
	return ids
}

// Check compares the ledger with what has to be. With inOrder, the items of each stream have to have arrived in order,
// each for the first time, but for what was refused or may have been set aside.
func (l *Ledger) Check(s *Schedule, inOrder bool) {
	if missing := l.Missing(); len(missing) > 0 {
		s.Violation("items %v were accepted, and are lost, or stay in a queue", missing)
	}
	last := map[int]*item{}
	for id, i := range l.items {
		switch {
		case i.delivered > 1 && !i.twice:
			s.Violation("item %d of stream %d came %d times", id, i.stream, i.delivered)
		case i.accepted && i.delivered > 0 && i.refusals+i.kept == 0 && !i.excused && !i.dropped:
			if before := last[i.stream]; inOrder && before != nil && before.first > i.first {
				s.Violation("item %d of stream %d overtook the one before it", id, i.stream)
			}
			last[i.stream] = i
		}
	}
}
