package holding

import "time"

// item is a value and what is known about it.
type item[T any] struct {
	value T
	bytes int
	due   time.Time
	turn  uint64 // which one it is of all that came
	why   Reason
	at    int // in the heap; away when it is let go
}

const away = -1

// byDue is a heap, the item that is due next first, in the order in which they came. It
// implements heap.Interface.
type byDue[T any] []*item[T]

func (h byDue[T]) Len() int { return len(h) }

func (h byDue[T]) Less(i, j int) bool {
	if order := h[i].due.Compare(h[j].due); order != 0 {
		return order < 0
	}
	return h[i].turn < h[j].turn
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
	i.at = away
	return i
}
