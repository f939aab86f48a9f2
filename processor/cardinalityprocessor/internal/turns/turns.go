// SPDX-License-Identifier: Apache-2.0

// Package turns lets batches that change the same outputs pass one after the other. A batch waits
// for its turn before it changes an output, and keeps the turn until the next component has the
// batch. So outputs leave in the order in which they were changed.
package turns

import (
	"math/bits"
	"sync"
)

// locks is a multiple of 64. More of them let more batches of different keys pass at a time.
const locks = 256

// Turns gives turns to batches. It is safe for concurrent use.
type Turns struct {
	locks [locks]sync.Mutex
}

// Set is the set of keys that a batch needs. The zero value is empty.
type Set [locks / 64]uint64

// Add adds a key, which is a hash.
func (s *Set) Add(key uint64) { s[key/64%uint64(len(s))] |= 1 << (key % 64) }

// Wait waits for the turn of all keys of a set. Every batch waits in the same order, so no two wait
// for each other.
func (t *Turns) Wait(s *Set) { t.each(s, (*sync.Mutex).Lock) }

// End ends the turn.
func (t *Turns) End(s *Set) { t.each(s, (*sync.Mutex).Unlock) }

func (t *Turns) each(s *Set, do func(*sync.Mutex)) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			do(&t.locks[i*64+bits.TrailingZeros64(word)])
		}
	}
}
