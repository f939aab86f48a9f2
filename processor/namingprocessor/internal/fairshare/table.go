// SPDX-License-Identifier: Apache-2.0

// Package fairshare bounds the memory for entries of many services, so that no service takes
// the room of another. New returns a Table with the given Limits; Put adds entries, Get looks
// them up, and Advance forgets entries that are no longer used.
package fairshare

import (
	"cmp"
	"slices"
	"strings"
)

// Limits are the bounds of a Table.
type Limits struct {
	// Entries bounds the entries of all services together.
	Entries int
	// Service bounds the entries of one service.
	Service int
	// Services bounds the number of services, and is at most Entries. Each service can always
	// have Entries/Services entries, whatever other services do.
	Services int
	// Periods is the number of periods after which an unused entry is forgotten. 0 keeps
	// entries forever.
	Periods int
}

// Table holds entries of services. When it is full, a service below its fair share still gets
// room: the service with the most entries loses its oldest ones, down to the fair share. When
// there are too many services, the least recently used one is removed. Table is not safe for
// concurrent use.
type Table[K comparable, V any] struct {
	limits   Limits
	forgot   func(K, V)
	services map[string]*share[K, V]
	entries  int
	uses     uint64   // a counter of calls, which orders the uses of entries and services
	periods  []uint64 // the value of uses at the beginning of each of the last periods
}

// share is the entries of one service.
type share[K comparable, V any] struct {
	entries map[K]entry[V]
	seen    uint64
}

type entry[V any] struct {
	value V
	seen  uint64
}

// New returns an empty Table. It calls forgot, which may be nil, for each entry that it
// removes.
func New[K comparable, V any](limits Limits, forgot func(K, V)) *Table[K, V] {
	if forgot == nil {
		forgot = func(K, V) {}
	}
	return &Table[K, V]{limits: limits, forgot: forgot, services: map[string]*share[K, V]{}}
}

// Len returns the number of entries.
func (t *Table[K, V]) Len() int { return t.entries }

// Get returns an entry of a service, and counts as a use of both.
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

// Put adds a new entry, and reports whether the service has room for it.
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

// share returns the share of a service. It may remove another service to make room for a new
// one.
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

// shrink removes the oldest entries of the service with the most entries, down to the given
// size.
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

// Advance begins a new period, and removes the entries that were not used for Limits.Periods
// periods.
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
