// SPDX-License-Identifier: Apache-2.0

package tracecontext

import (
	"encoding/binary"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// IDs are the ids of a record. A zero id means that there is none.
type IDs struct {
	TraceID  pcommon.TraceID
	SpanID   pcommon.SpanID
	Flags    uint8
	HasFlags bool
}

// trace is a trace id as two numbers, which are faster to compare than its bytes.
type trace struct{ upper, lower uint64 }

func (t trace) isZero() bool { return t.upper|t.lower == 0 }

func (t trace) bytes() (id pcommon.TraceID) {
	binary.BigEndian.PutUint64(id[:8], t.upper)
	binary.BigEndian.PutUint64(id[8:], t.lower)
	return id
}

func traceOf(id pcommon.TraceID) trace {
	return trace{binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])}
}

func spanBytes(span uint64) (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], span)
	return id
}

func spanNumber(id pcommon.SpanID) uint64 { return binary.BigEndian.Uint64(id[:]) }
