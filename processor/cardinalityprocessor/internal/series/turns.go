// SPDX-License-Identifier: Apache-2.0

package series

import (
	"math/bits"
	"sync"
)

// turnLocks is a multiple of 64. More of them let more batches of different keys pass at a time.
const turnLocks = 256

// Turns lets batches that change the same outputs pass one after the other. A batch waits for its
// turn before it changes an output, and keeps the turn until the next component has the batch. So
// outputs leave in the order in which they were changed. Turns is safe for concurrent use.
type Turns struct {
	locks [turnLocks]sync.Mutex
}

// TurnSet is the set of keys that a batch needs. The zero value is empty.
type TurnSet [turnLocks / 64]uint64

// Add adds a key, which is a hash.
func (s *TurnSet) Add(key uint64) { s[key/64%uint64(len(s))] |= 1 << (key % 64) }

// Wait waits for the turn of all keys of a set. Every batch waits in the same order, so no two wait
// for each other.
func (t *Turns) Wait(s *TurnSet) { t.each(s, (*sync.Mutex).Lock) }

// End ends the turn.
func (t *Turns) End(s *TurnSet) { t.each(s, (*sync.Mutex).Unlock) }

func (t *Turns) each(s *TurnSet, do func(*sync.Mutex)) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			do(&t.locks[i*64+bits.TrailingZeros64(word)])
		}
	}
}
