package correlationindexextension

import (
	"encoding/binary"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// packed is a member as both backends keep it, but for its trace state:
//
//	 0 trace id         32 start
//	16 span id          40 duration
//	24 parent span id   44 meta
//
// Its numbers are little-endian.
type packed [packedSize]byte

const packedSize = 48

// meta is what else there is to know, in bits.
type meta uint32

const (
	metaStages    meta = 0xff
	metaFlags     meta = 0xff << flagsShift
	metaKind      meta = 7 << kindShift
	metaLog       meta = 1 << 19
	metaHeld      meta = 1 << 20
	metaPoisoned  meta = 1 << 21 // the record is no member, but says that its key is poisoned
	metaForgotten meta = 1 << 22 // the record was a member until its key was poisoned
	flagsShift         = 8
	kindShift          = 16
	stateShift         = 23 // the trace state's length, 9 bits
)

func (p *packed) meta() meta { return meta(binary.LittleEndian.Uint32(p[44:])) }

func (p *packed) setMeta(m meta) { binary.LittleEndian.PutUint32(p[44:], uint32(m)) }

// is tells whether it is the member's span.
func (p *packed) is(m *correlation.Member) bool {
	return *(*[8]byte)(p[16:]) == m.SpanID && *(*[16]byte)(p[:]) == m.TraceID
}

// pack packs a member. It returns the trace state that goes with it.
func (p *packed) pack(m *correlation.Member) (state string) {
	copy(p[:], m.TraceID[:])
	copy(p[16:], m.SpanID[:])
	copy(p[24:], m.ParentSpanID[:])
	binary.LittleEndian.PutUint64(p[32:], uint64(m.Start))
	binary.LittleEndian.PutUint32(p[40:], uint32(correlation.NewDuration(m.Start, m.End)))
	if len(m.TraceState) <= correlation.MaxTraceState {
		state = m.TraceState
	}
	all := meta(m.Stages) | meta(m.Flags)<<flagsShift | meta(m.Kind)<<kindShift&metaKind | meta(len(state))<<stateShift
	if m.Log {
		all |= metaLog
	}
	if m.Held {
		all |= metaHeld
	}
	p.setMeta(all)
	return state
}

// unpack is the way back.
func (p *packed) unpack(m *correlation.Member, state string) {
	m.TraceID = pcommon.TraceID(p[:16])
	m.SpanID = pcommon.SpanID(p[16:24])
	m.ParentSpanID = pcommon.SpanID(p[24:32])
	m.Start = pcommon.Timestamp(binary.LittleEndian.Uint64(p[32:]))
	m.End = correlation.Duration(binary.LittleEndian.Uint32(p[40:])).End(m.Start)
	all := p.meta()
	m.Stages = uint8(all & metaStages)
	m.Flags = uint8(all & metaFlags >> flagsShift)
	m.Kind = uint8(all & metaKind >> kindShift)
	m.Log = all&metaLog != 0
	m.Held = all&metaHeld != 0
	m.TraceState = state
}
