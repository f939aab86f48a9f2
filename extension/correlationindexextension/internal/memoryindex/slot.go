// SPDX-License-Identifier: Apache-2.0

package memoryindex

import (
	"encoding/binary"
	"math"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/member"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

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
