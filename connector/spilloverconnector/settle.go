// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"math"
	"slices"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
	"github.com/otelcol-tc/otelcol-tc/internal/diskqueue"
)

// What is in the queue was accepted, so a refusal alone does not take it out. It is set aside only if all of this is
// true: it was refused, then the next component accepted something else, and then it was refused again. While
// everything is refused, the next component is at fault, and the queue waits.

const (
	// stateRefusals is how often a part is refused for a state of the next component, such as unknown credentials,
	// before it counts as refused for itself: a part of its own kind must not stop the queue for ever.
	stateRefusals = 12
	// maxHalvings is how often a group is halved to find what is refused, besides what is too large. One bad item
	// among a million takes 20. Once something is accepted, each record of the group and each accepted part allow two
	// more: as long as halves get through, the search goes on.
	maxHalvings = 32
	// maxReach is how many groups behind the head are tried at once.
	maxReach = 1 << 10
	never    = math.MaxInt64
)

// group is what is sent together from the head of the queue.
type group[T any] struct {
	parts    []part[T] // what is neither accepted nor set aside
	records  int
	next     diskqueue.Place // of what is behind it
	halvings int
	began    int64 // how many attempts had been accepted before it
}

// part is a part of a group.
type part[T any] struct {
	batch    T
	refusals int   // in a row
	doubted  int64 // how many attempts had been accepted when it was refused, or never
	forSize  bool  // it was cut for its size alone, so that it may be merged again
}

// outcome is what a pass over a group has led to.
type outcome uint8

const (
	moved   outcome = iota // something was accepted or set aside
	doubted                // all that is left is refused
	waits                  // the next component accepts nothing now
	full                   // what is to be set aside cannot be kept
)

// settle sends a group again and again, until each item is accepted or set aside. It returns false when the connector
// stops.
func (s *spillover[T]) settle(g *group[T]) bool {
	pause := delivery.NewBackoff()
	for reach := 1; ; reach = min(2*reach, maxReach) {
		began, accepted := time.Now(), s.accepted.Load()
		result, cause := s.pass(g)
		if s.accepted.Load() > accepted {
			pause.Reset()
		}
		if result != doubted {
			s.refused.Store(0)
		}
		switch {
		case s.stopping.Err() != nil:
			return false
		case len(g.parts) == 0:
			return true
		case result == moved, result == doubted && s.othersGetThrough(g.next, reach):
			pause.Reset()
			reach = 1
			continue
		}
		s.report.waits(reasonOf(result, cause), cause)
		// A next component that refuses everything rests at least half of the time.
		s.pause(max(pause.Next(), time.Since(began)))
	}
}

func reasonOf(result outcome, cause error) string {
	switch {
	case result == full:
		return lettersFull
	case delivery.Judge(cause) == delivery.ForNow:
		return nextAway
	}
	return allRefused
}

// pass tries each part of a group. It returns the last error, too.
func (s *spillover[T]) pass(g *group[T]) (result outcome, cause error) {
	result = doubted
	todo := g.parts
	g.parts = nil
	defer func() { g.parts = append(g.parts, todo...) }()
	for len(todo) > 0 {
		todo = s.fit(g, todo)
		p := &todo[0]
		sure := s.accepted.Load() > p.doubted
		err := s.attempt(p)
		if err == nil {
			if s.window.narrow() {
				s.window.accept(s.signal.size(p.batch))
			}
			result, todo = moved, todo[1:]
			continue
		}
		cause = err
		verdict := delivery.Judge(err)
		if verdict == delivery.ForNow {
			return waits, cause
		}
		if p.refusals++; verdict == delivery.State && p.refusals < stateRefusals {
			return waits, cause
		}
		tooLarge := delivery.TooLarge(err)
		if tooLarge {
			s.window.refuse(s.signal.size(p.batch))
		}
		switch {
		case s.mayHalve(g, p, tooLarge):
			if p.forSize = tooLarge; !sure {
				p.doubted = never
			}
			todo = s.cut(todo, s.signal.items(p.batch)/2)
			continue
		case !sure:
			p.doubted = min(p.doubted, s.accepted.Load())
			g.parts = append(g.parts, *p)
		default:
			kept := s.letter(p.batch, false)
			if !kept && s.cfg.DeadLetterSize > 0 {
				return full, cause
			}
			s.report.refused(queued, s.signal.items(p.batch), kept, err)
			result = moved
		}
		todo = todo[1:]
	}
	return result, cause
}

// fit makes the first of some parts as large as the window: it cuts it, or merges those behind it into it.
func (s *spillover[T]) fit(g *group[T], todo []part[T]) []part[T] {
	if !s.window.narrow() {
		return todo
	}
	size, items := s.signal.size(todo[0].batch), s.signal.items(todo[0].batch)
	for items > 1 && s.window.cuts(size) {
		keep := items / 2 // a cut goes through all of the rest: small parts are cut off small batches only
		if size < 2*s.window.size {
			keep = max(int(float64(items)*float64(s.window.size)/float64(size)), 1)
		}
		todo[0].forSize = true
		todo = s.cut(todo, keep)
		size, items = s.signal.size(todo[0].batch), keep
	}
	first, n := &todo[0], 1
	for ; n < len(todo) && first.forSize && todo[n].forSize; n++ {
		if size += s.signal.size(todo[n].batch); size > s.window.size {
			break
		}
		s.signal.add(first.batch, todo[n].batch)
		first.refusals = min(first.refusals, todo[n].refusals)
		first.doubted = max(first.doubted, todo[n].doubted) // sure only if all are
		g.halvings--                                        // it may be cut there again
	}
	return slices.Delete(todo, 1, n)
}

// cut cuts the first of some parts behind its first items.
func (s *spillover[T]) cut(todo []part[T], keep int) []part[T] {
	rest := todo[0]
	rest.batch = s.signal.cut(todo[0].batch, keep)
	return slices.Insert(todo, 1, rest)
}

// mayHalve reports whether a part may be halved, and counts it.
func (s *spillover[T]) mayHalve(g *group[T], p *part[T], tooLarge bool) bool {
	if s.signal.items(p.batch) < 2 {
		return false
	}
	if tooLarge {
		return true
	}
	g.halvings++
	limit := int64(maxHalvings)
	if accepted := s.accepted.Load() - g.began; accepted > 0 {
		limit += 2 * (int64(g.records) + accepted)
	}
	return int64(g.halvings) <= limit
}

// othersGetThrough reports whether something behind the head is accepted: some groups from a place on are tried until
// something of one is. That group waits until the head gets there.
func (s *spillover[T]) othersGetThrough(next diskqueue.Place, reach int) bool {
	appended := s.appended.Load()
	for ; reach > 0; reach-- {
		behind, err := s.queue.PeekBehind(next, s.cfg.Batch.MaxSize)
		if err != nil {
			return false
		}
		if len(behind) == 0 {
			if len(s.ahead) == 0 {
				s.refused.Store(appended)
			}
			return false
		}
		if g := s.ahead[behind[0].Place]; g != nil {
			next = g.next
			continue
		}
		g, _ := s.decode(behind)
		if g == nil {
			return false
		}
		result, _ := s.pass(g)
		if s.accepted.Load() > g.began {
			s.ahead[behind[0].Place] = g
			return true
		}
		if result != doubted {
			return false
		}
		next = g.next
	}
	return false
}
