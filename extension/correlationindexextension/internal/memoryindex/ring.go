// SPDX-License-Identifier: Apache-2.0

package memoryindex

import (
	"encoding/binary"
	"math"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/member"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// ring holds the records of a shard in the order in which they came. It has no pointers, so the
// garbage collector does not scan it. A record is a slot with the member, followed by the slots
// that its trace state fills.
type ring struct {
	slots []slot
	tail  uint32 // the first slot of the oldest record
	used  uint32 // how many slots the records take
}

func (r *ring) wrap(i uint32) uint32 {
	if n := uint32(len(r.slots)); i >= n {
		return i - n
	}
	return i
}

func (r *ring) free() uint32 { return uint32(len(r.slots)) - r.used }

// push reserves the slots of a new record, which must be free.
func (r *ring) push(size uint32) uint32 {
	i := r.wrap(r.tail + r.used)
	r.used += size
	return i
}

// pop frees the slots of the oldest record.
func (r *ring) pop() {
	size := r.slots[r.tail].size()
	r.tail = r.wrap(r.tail + size)
	r.used -= size
}

// age returns how many slots were written after this one. The age of a free slot is at least the
// number of used slots.
func (r *ring) age(i uint32) uint32 {
	n := uint32(len(r.slots))
	return r.wrap(r.wrap(r.tail+r.used) + n - 1 - i)
}

// previous returns the member of the same key that came before, unless it was popped. If its slot
// was written again, that is newer than this record. If its slot is free, that is older than all.
func (r *ring) previous(i uint32) uint32 {
	before := r.slots[i].before()
	if before == none {
		return none
	}
	if age := r.age(before); age <= r.age(i) || age >= r.used {
		return none
	}
	return before
}

// writeState writes the trace state of the record at i.
func (r *ring) writeState(i uint32, state string) {
	for state != "" {
		i = r.wrap(i + 1)
		state = state[copy(r.slots[i][:], state):]
	}
}

// appendState appends the trace state of the record at i.
func (r *ring) appendState(to []byte, i uint32) []byte {
	for left := r.slots[i].packed().StateLen(); left > 0; left -= slotSize {
		i = r.wrap(i + 1)
		to = append(to, r.slots[i][:min(left, slotSize)]...)
	}
	return to
}

// slot holds a member, or a part of its trace state. That of a member is
//
//	 0 key, without 16 of its bits          18 when it was decided
//	14 the member of the key before it      20 arrival, in ticks
//	16 when it came                         24 packed
//
// Events of a key are counted in 16 bits, and the count wraps. So many events do not happen
// while a member is in the ring. Segments hold slots as they are.
type slot [slotSize]byte

const slotSize = 24 + member.Size

const (
	// none is no slot.
	none = uint32(math.MaxUint16)
	// keyHi is the part of a key's upper half that a slot keeps: 112 bits are enough.
	keyHi = 1<<48 - 1
)

func (s *slot) key() correlation.Key {
	hi := uint64(binary.LittleEndian.Uint32(s[8:])) | uint64(binary.LittleEndian.Uint16(s[12:]))<<32
	return correlation.Key{Hi: hi, Lo: binary.LittleEndian.Uint64(s[0:])}
}

func (s *slot) setKey(key correlation.Key) {
	binary.LittleEndian.PutUint64(s[0:], key.Lo)
	binary.LittleEndian.PutUint32(s[8:], uint32(key.Hi))
	binary.LittleEndian.PutUint16(s[12:], uint16(key.Hi>>32))
}

func (s *slot) has(key correlation.Key) bool {
	own := s.key()
	return own.Lo == key.Lo && own.Hi == key.Hi&keyHi
}

func (s *slot) before() uint32 { return uint32(binary.LittleEndian.Uint16(s[14:])) }

func (s *slot) setBefore(i uint32) { binary.LittleEndian.PutUint16(s[14:], uint16(i)) }

func (s *slot) came() uint16 { return binary.LittleEndian.Uint16(s[16:]) }

func (s *slot) setCame(count uint16) { binary.LittleEndian.PutUint16(s[16:], count) }

func (s *slot) decided() uint16 { return binary.LittleEndian.Uint16(s[18:]) }

func (s *slot) setDecided(count uint16) { binary.LittleEndian.PutUint16(s[18:], count) }

func (s *slot) arrival() uint32 { return binary.LittleEndian.Uint32(s[20:]) }

func (s *slot) setArrival(ticks uint32) { binary.LittleEndian.PutUint32(s[20:], ticks) }

func (s *slot) packed() *member.Packed { return (*member.Packed)(s[24:]) }

func (s *slot) is(m member.Meta) bool { return s.packed().Meta()&m != 0 }

func (s *slot) set(m member.Meta) { s.packed().SetMeta(s.packed().Meta() | m) }

func (s *slot) clear(m member.Meta) { s.packed().SetMeta(s.packed().Meta() &^ m) }

// size returns how many slots the record takes that begins here.
func (s *slot) size() uint32 { return sizeWith(s.packed().StateLen()) }

func sizeWith(stateLen int) uint32 { return 1 + uint32(stateLen+slotSize-1)/slotSize }
