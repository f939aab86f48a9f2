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
//	16 span id          40 duration
//	24 parent span id   44 meta
//
// Its numbers are little-endian. Segments and lists in Redis hold it.
type Packed [Size]byte

// Size is the number of bytes of a Packed.
const Size = 48

// Meta is the rest of a member, in bits.
type Meta uint32

// The bits of Meta. The lowest eight are the stages.
const (
	stages    Meta = 0xff
	flags     Meta = 0xff << flagsShift
	kind      Meta = 7 << kindShift
	log       Meta = 1 << 19
	Held      Meta = 1 << 20
	Poisoned  Meta = 1 << 21 // the record is no member: its key is poisoned
	Forgotten Meta = 1 << 22 // the record was a member until its key was poisoned

	flagsShift = 8
	kindShift  = 16
	stateShift = 23 // the length of the trace state, 9 bits
)

// Meta returns the bits of the member.
func (p *Packed) Meta() Meta { return Meta(binary.LittleEndian.Uint32(p[44:])) }

// SetMeta replaces the bits of the member.
func (p *Packed) SetMeta(m Meta) { binary.LittleEndian.PutUint32(p[44:], uint32(m)) }

// StateLen returns the length of the member's trace state.
func (p *Packed) StateLen() int { return int(p.Meta() >> stateShift) }

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
	binary.LittleEndian.PutUint32(p[40:], uint32(correlation.NewDuration(m.Start, m.End)))
	if len(m.TraceState) <= correlation.MaxTraceState {
		state = m.TraceState
	}
	all := Meta(m.Stages) | Meta(m.Flags)<<flagsShift | Meta(m.Kind)<<kindShift&kind | Meta(len(state))<<stateShift
	if m.Log {
		all |= log
	}
	if m.Held {
		all |= Held
	}
	p.SetMeta(all)
	return state
}

// Unpack sets all of a member but its orders.
func (p *Packed) Unpack(m *correlation.Member, state string) {
	m.TraceID = pcommon.TraceID(p[:16])
	m.SpanID = pcommon.SpanID(p[16:24])
	m.ParentSpanID = pcommon.SpanID(p[24:32])
	m.Start = pcommon.Timestamp(binary.LittleEndian.Uint64(p[32:]))
	m.End = correlation.Duration(binary.LittleEndian.Uint32(p[40:])).End(m.Start)
	all := p.Meta()
	m.Stages = uint8(all & stages)
	m.Flags = uint8(all & flags >> flagsShift)
	m.Kind = uint8(all & kind >> kindShift)
	m.Log = all&log != 0
	m.Held = all&Held != 0
	m.TraceState = state
}
