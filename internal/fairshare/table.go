// Package fairshare bounds what is remembered of many services so that none takes
// the room of another.
package fairshare

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Limits are the bounds of a Table.
type Limits struct {
	// Entries is how many entries all services have together.
	Entries int
	// Service is how many entries one service has.
	Service int
	// Services is how many services are remembered, at most Entries. Each is sure of
	// Entries/Services entries, whatever the others do.
	Services int
	// Periods is for how many periods an entry stays that is not seen; 0 is for ever.
	Periods int
}

// Table remembers entries of services. When it is full, a service that has less than
// its fair share gets room: the service with the most entries loses its oldest ones,
// down to the fair share. When there are too many services, the one that was not seen
// for longest goes. Table is not safe for concurrent use.
type Table[K comparable, V any] struct {
	limits   Limits
	forgot   func(K, V)
	services map[string]*share[K, V]
	entries  int
	uses     uint64   // counts the calls, and so tells what was seen before what
	periods  []uint64 // uses at the beginning of each of the last periods
}

// share is what one service has.
type share[K comparable, V any] struct {
	entries map[K]entry[V]
	seen    uint64
}

type entry[V any] struct {
	value V
	seen  uint64
}

// New returns an empty Table. It calls forgot, which may be nil, for each entry that it
// forgets.
func New[K comparable, V any](limits Limits, forgot func(K, V)) *Table[K, V] {
	if forgot == nil {
		forgot = func(K, V) {}
	}
	return &Table[K, V]{limits: limits, forgot: forgot, services: map[string]*share[K, V]{}}
}

// Len returns the number of entries.
func (t *Table[K, V]) Len() int { return t.entries }

// Get returns an entry of a service, which is seen by that.
func (t *Table[K, V]) Get(service string, key K) (value V, ok bool) {
	s := t.services[service]
	if s == nil {
		return value, false
	}
	t.uses++
	s.seen = t.uses
	e, ok := s.entries[key]
	if ok {
		e.seen = t.uses
		s.entries[key] = e
	}
	return e.value, ok
}

// Put adds an entry that is not there, and reports whether the service has room for it.
func (t *Table[K, V]) Put(service string, key K, value V) bool {
	s := t.share(service)
	t.uses++
	s.seen = t.uses
	if len(s.entries) >= t.limits.Service {
		return false
	}
	if t.entries >= t.limits.Entries {
		fair := t.limits.Entries / len(t.services)
		if len(s.entries) >= fair {
			return false
		}
		t.shrink(fair)
	}
	s.entries[key] = entry[V]{value, t.uses}
	t.entries++
	return true
}

// share returns what a service has, for which another service may have to go.
func (t *Table[K, V]) share(service string) *share[K, V] {
	if s := t.services[service]; s != nil {
		return s
	}
	if len(t.services) >= t.limits.Services {
		oldest, seen := "", t.uses+1
		for name, s := range t.services {
			if s.seen < seen {
				oldest, seen = name, s.seen
			}
		}
		for key, e := range t.services[oldest].entries {
			t.forgot(key, e.value)
		}
		t.entries -= len(t.services[oldest].entries)
		delete(t.services, oldest)
	}
	s := &share[K, V]{entries: map[K]entry[V]{}}
	t.services[strings.Clone(service)] = s
	return s
}

// shrink has the service with the most entries lose its oldest ones, down to a size.
func (t *Table[K, V]) shrink(size int) {
	var largest *share[K, V]
	for _, s := range t.services {
		if largest == nil || len(s.entries) > len(largest.entries) {
			largest = s
		}
	}
	type aged struct {
		key  K
		seen uint64
	}
	all := make([]aged, 0, len(largest.entries))
	for key, e := range largest.entries {
		all = append(all, aged{key, e.seen})
	}
	slices.SortFunc(all, func(a, b aged) int { return cmp.Compare(a.seen, b.seen) })
	for _, a := range all[:len(all)-size] {
		t.forget(largest, a.key)
	}
}

func (t *Table[K, V]) forget(s *share[K, V], key K) {
	e := s.entries[key]
	delete(s.entries, key)
	t.entries--
	t.forgot(key, e.value)
}

// Advance begins a new period, and forgets what was not seen for Limits.Periods of them.
func (t *Table[K, V]) Advance() {
	if len(t.periods) == t.limits.Periods {
		since := t.periods[0]
		t.periods = t.periods[1:]
		for name, s := range t.services {
			for key, e := range s.entries {
				if e.seen <= since {
					t.forget(s, key)
				}
			}
			if len(s.entries) == 0 {
				delete(t.services, name)
			}
		}
	}
	t.periods = append(t.periods, t.uses)
}

// All iterates over the entries of all services.
func (t *Table[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, s := range t.services {
			for key, e := range s.entries {
				if !yield(key, e.value) {
					return
				}
			}
		}
	}
}
