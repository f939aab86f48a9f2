// SPDX-License-Identifier: Apache-2.0

// Package member packs members of the correlation index into the bytes that both backends keep.
package member

import (
	"encoding/binary"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// Packed is a member without its trace state:
//
//	 0 trace id         32 start
//	16 span id          40 end
//	24 parent span id   48 the rest
//
// Its numbers are little-endian. Segments and lists in Redis hold it.
type Packed [Size]byte

// Size is the number of bytes of a Packed.
const Size = 52

// The rest of a member, in bits. The lowest eight are the stages.
const (
	flagsShift = 8
	kindShift  = 16 // 3 bits
	logBit     = 1 << 19
	heldBit    = 1 << 20
	stateShift = 23 // the length of the trace state, 9 bits
)

func (p *Packed) rest() uint32 { return binary.LittleEndian.Uint32(p[48:]) }

// StateLen returns the length of the member's trace state.
func (p *Packed) StateLen() int { return int(p.rest() >> stateShift) }

// Is reports whether both are the same span.
func (p *Packed) Is(m *correlation.Member) bool {
	return pcommon.SpanID(p[16:24]) == m.SpanID && pcommon.TraceID(p[:16]) == m.TraceID
}

// Pack packs a member, and returns the trace state to keep with it.
func (p *Packed) Pack(m *correlation.Member) (state string) {
	copy(p[:], m.TraceID[:])
	copy(p[16:], m.SpanID[:])
	copy(p[24:], m.ParentSpanID[:])
	binary.LittleEndian.PutUint64(p[32:], uint64(m.Start))
	binary.LittleEndian.PutUint64(p[40:], uint64(m.End))
	if len(m.TraceState) <= correlation.MaxTraceState {
		state = m.TraceState
	}
	rest := uint32(m.Stages) | uint32(m.Flags)<<flagsShift | uint32(m.Kind&7)<<kindShift | uint32(len(state))<<stateShift
	if m.Log {
		rest |= logBit
	}
	if m.Held {
		rest |= heldBit
	}
	binary.LittleEndian.PutUint32(p[48:], rest)
	return state
}

// Unpack sets all of a member but its orders.
func (p *Packed) Unpack(m *correlation.Member, state string) {
	m.TraceID = pcommon.TraceID(p[:16])
	m.SpanID = pcommon.SpanID(p[16:24])
	m.ParentSpanID = pcommon.SpanID(p[24:32])
	m.Start = pcommon.Timestamp(binary.LittleEndian.Uint64(p[32:]))
	m.End = pcommon.Timestamp(binary.LittleEndian.Uint64(p[40:]))
	rest := p.rest()
	m.Stages, m.Flags, m.Kind = uint8(rest), uint8(rest>>flagsShift), uint8(rest>>kindShift&7)
	m.Log, m.Held = rest&logBit != 0, rest&heldBit != 0
	m.TraceState = state
}
