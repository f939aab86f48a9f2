package correlationindexextension

import (
	"encoding/binary"
	"math"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// slot is room for a member, or for a part of its trace state. The member's:
//
//	 0 key, without 16 of its bits          18 when it was decided
//	14 the member of the key before it      20 arrival, in ticks
//	16 when it came                         24 packed
//
// What came and was decided is counted by key, and the count wraps: more than 16 bits
// can count does not happen while a member is in the ring. Snapshots hold slots as they
// are.
type slot [slotSize]byte

const slotSize = 24 + packedSize

const (
	// none is no slot.
	none = uint32(math.MaxUint16)
	// keyHi is what a slot has of the upper half of a key: 112 bits tell a million keys
	// apart as well.
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

func (s *slot) packed() *packed { return (*packed)(s[24:]) }

func (s *slot) is(m meta) bool { return s.packed().meta()&m != 0 }

func (s *slot) set(m meta) { s.packed().setMeta(s.packed().meta() | m) }

func (s *slot) clear(m meta) { s.packed().setMeta(s.packed().meta() &^ m) }

// size is how many slots the record takes that begins here.
func (s *slot) size() uint32 { return sizeWith(s.stateLen()) }

func (s *slot) stateLen() int { return int(s.packed().meta() >> stateShift) }

func sizeWith(stateLen int) uint32 { return 1 + uint32(stateLen+slotSize-1)/slotSize }
