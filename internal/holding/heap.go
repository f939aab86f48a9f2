// SPDX-License-Identifier: Apache-2.0

package holding

import "time"

// item is a held value.
type item[T any] struct {
	value T
	bytes int
	due   time.Time
	order uint64 // its number in the order of arrival
	why   Reason
	at    int // index in the heap; notHeld once it is released
}

const notHeld = -1

// byDue is a heap of items by due time, then by order of arrival. It implements heap.Interface.
type byDue[T any] []*item[T]

func (h byDue[T]) Len() int { return len(h) }

func (h byDue[T]) Less(i, j int) bool {
	if c := h[i].due.Compare(h[j].due); c != 0 {
		return c < 0
	}
	return h[i].order < h[j].order
}

func (h byDue[T]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}

// Push implements heap.Interface.
func (h *byDue[T]) Push(x any) {
	i := x.(*item[T])
	i.at = len(*h)
	*h = append(*h, i)
}

// Pop implements heap.Interface.
func (h *byDue[T]) Pop() any {
	last := len(*h) - 1
	i := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	i.at = notHeld
	return i
}
