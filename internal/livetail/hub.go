// SPDX-License-Identifier: Apache-2.0

package livetail

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// Deadline is when a watch ends after the last poll.
	Deadline = 30 * time.Second
	// MaxWatched is how many services are watched at one time.
	MaxWatched = 4
	// MaxPairs is how many pairs of a service are kept.
	MaxPairs = 100
	// MaxRate is how many pairs a second a component gives of a service.
	MaxRate = 20
)

// Hub has the watched services. It is safe for concurrent use. A nil Hub is never watched: components that do
// not share a hub have nil.
type Hub struct {
	watches atomic.Pointer[map[string]*watch] // nil: nobody watches. The map is never changed.

	mu  sync.Mutex // guards changes of watches
	seq atomic.Uint64
}

// Watched reports whether a person watches any service.
func (h *Hub) Watched() bool { return h != nil && h.watches.Load() != nil }

// Wants reports whether a person watches a service.
func (h *Hub) Wants(service string) bool { return h.watch(service) != nil }

// watch returns the watch of a service, or nil.
func (h *Hub) watch(service string) *watch {
	if h == nil {
		return nil
	}
	all := h.watches.Load()
	if all == nil {
		return nil
	}
	return (*all)[service]
}

// Take returns how many of some items of a service a stage may show now. The stage must show them, or they
// count without being seen.
func (h *Hub) Take(service, stage string, items int) int {
	w := h.watch(service)
	if w == nil {
		return 0
	}
	return w.take(stage, items, time.Now())
}

// Publish shows a pair to those who watch a service.
func (h *Hub) Publish(service string, pair Pair) {
	if w := h.watch(service); w != nil {
		w.publish(pair, &h.seq)
	}
}

// Answer is what a poll returns.
type Answer struct {
	// Last is the number of the last pair. The next poll asks for what comes after it.
	Last uint64 `json:"last"`
	// Pairs are in the order of their numbers.
	Pairs []Pair `json:"pairs"`
}

// BusyError is the error of a poll for one service more than can be watched.
type BusyError struct{ Service string }

func (e *BusyError) Error() string {
	return fmt.Sprintf("service: must be one of at most %d that are watched at one time, or wait %s until a watch ends (got %q)",
		MaxWatched, Deadline, e.Service)
}

// Poll begins to watch a service, or continues to, and returns the pairs with a number above after. A number
// that no pair of this hub has had yet is of another process: it stands for 0.
func (h *Hub) Poll(service string, after uint64) (Answer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.watch(service)
	if w == nil {
		var err error
		if w, err = h.begin(service); err != nil {
			return Answer{}, err
		}
	}
	w.ends = time.Now().Add(Deadline)
	w.end.Reset(Deadline)
	if after > h.seq.Load() {
		after = 0
	}
	return w.since(after), nil
}

// begin begins to watch a service. The caller holds mu.
func (h *Hub) begin(service string) (*watch, error) {
	next := map[string]*watch{}
	if all := h.watches.Load(); all != nil {
		if len(*all) >= MaxWatched {
			return nil, &BusyError{service}
		}
		next = maps.Clone(*all)
	}
	w := &watch{taken: map[string]taken{}, last: h.seq.Load()}
	w.end = time.AfterFunc(Deadline, func() { h.finish(service, w) })
	next[service] = w
	h.watches.Store(&next)
	return w, nil
}

// finish ends a watch, and forgets its pairs.
func (h *Hub) finish(service string, w *watch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watch(service) != w || time.Now().Before(w.ends) {
		return // a poll came when the timer had fired
	}
	next := maps.Clone(*h.watches.Load())
	delete(next, service)
	if len(next) == 0 {
		h.watches.Store(nil)
		return
	}
	h.watches.Store(&next)
}
