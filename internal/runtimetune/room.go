// SPDX-License-Identifier: Apache-2.0

package runtimetune

import (
	"math"
	"time"
)

const (
	// busyShare is the CPU time that collections may take, of that of all else. What they do to caches costs as much
	// again.
	busyShare = 0.03
	// restShare is what they may take of one core besides. Under little load it is most of it, and saves memory.
	restShare = 0.004
	// costsOver is over how many collections what they cost is averaged, and rateOver over which time the rate is.
	costsOver = 8
	rateOver  = 2 * time.Second
	// releaseEvery is the least time between two releases of memory, releasedFrom the least that is worth one, and
	// releaseAfter the time in which the program would not take it again.
	releaseEvery = time.Minute
	releaseAfter = 10 * time.Second
	releasedFrom = 8 << 20
	// leastRoom is the least garbage of a heap.
	leastRoom = 6 << 20
	// roomRatio is the part of the memory limit that the heap may grow to, garbage included. It is below
	// the limit at which memory_limiter refuses data (55 % in the profiles), because memory_limiter counts
	// garbage too.
	roomRatio = 0.45
	// leastOfLive is the least garbage of a heap where memory is scarce, by what lives. Refusing data is the task of
	// memory_limiter.
	leastOfLive = 0.5
	// garbageOfLive is the garbage that a large heap may have, by what lives, whatever garbageVariable allows. A
	// collection takes time in proportion to what lives, so without it a gateway with a million series would only
	// collect (docs/adr/0002).
	garbageOfLive = 0.25
)

// usage is what the runtime reports. The first four are sums since the start.
type usage struct {
	collections uint64
	collecting  float64 // CPU seconds of collections, until the end of the last one
	busy        float64 // CPU seconds of all Go code with them, until then
	allocated   float64 // bytes
	live        float64 // bytes that the last collection found
	retained    float64 // bytes of the heap that the kernel has not got back
}

// room decides how much garbage the heap may have. Collections stay within their shares if it is
//
//	C / (busyShare*m + restShare/r)
//
// C is the CPU time of a collection, m that of all else for each byte allocated, and r the bytes allocated a second.
// None of the three depends on the decision, so that it does not swing.
type room struct {
	heap    float64 // limit of the heap, in bytes
	garbage float64 // limit of a small heap, in bytes; half of it is garbage where more lives

	seen, collected usage // at the last look, and at the last collection
	at              time.Time
	cost            float64 // CPU seconds of a collection
	busy, bytes     float64 // CPU seconds of all else, and bytes allocated, over the last collections
	rate            float64 // bytes allocated a second
	released        time.Time
}

// look returns how many bytes of garbage the heap may have from now on.
func (r *room) look(now time.Time, u usage) float64 {
	if passed := now.Sub(r.at).Seconds(); !r.at.IsZero() && passed > 0 {
		r.rate += ((u.allocated-r.seen.allocated)/passed - r.rate) * -math.Expm1(-passed/rateOver.Seconds())
	}
	r.seen, r.at = u, now
	if number := float64(u.collections - r.collected.collections); number > 0 {
		collecting := u.collecting - r.collected.collecting
		keep := math.Pow(1-1.0/costsOver, number)
		r.cost = keep*r.cost + (1-keep)*collecting/number
		r.busy = keep*r.busy + max(u.busy-r.collected.busy-collecting, 0)
		r.bytes = keep*r.bytes + u.allocated - r.collected.allocated
		r.collected = u
	}
	return min(max(r.byCost(), leastRoom), r.limit())
}

// byCost returns the garbage with which collections stay within their shares.
func (r *room) byCost() float64 {
	if r.rate <= 0 || r.bytes <= 0 {
		return 0
	}
	return r.cost / (busyShare*r.busy/r.bytes + restShare/r.rate)
}

// limit returns the most garbage that the heap may have.
func (r *room) limit() float64 {
	live := r.seen.live
	return min(max(r.garbage-live, r.garbage/2, garbageOfLive*live), max(r.heap-live, leastOfLive*live))
}

// release reports whether the heap retains much that it does not need with so much garbage, and would not take again
// soon. Go's runtime gives memory back by itself, but keeps parts that were densely used.
func (r *room) release(garbage float64) bool {
	unneeded := r.seen.retained - r.seen.live - garbage
	if unneeded < releasedFrom+r.rate*releaseAfter.Seconds() || r.at.Sub(r.released) < releaseEvery {
		return false
	}
	r.released = r.at
	return true
}
