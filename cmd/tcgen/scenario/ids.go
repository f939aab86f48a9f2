// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

func (r *recorder) traceID() pcommon.TraceID {
	var id pcommon.TraceID
	copy(id[len(id)-r.traceIDBytes:], randomBytes(r.rng, r.traceIDBytes))
	return id
}

func (r *recorder) spanID() pcommon.SpanID {
	return pcommon.SpanID(randomBytes(r.rng, len(pcommon.SpanID{})))
}

// between draws from [low, high).
func between(rng *rand.Rand, low, high float64) float64 {
	return low + rng.Float64()*(high-low)
}

func randomHex(rng *rand.Rand, digits int) string {
	return hex.EncodeToString(randomBytes(rng, (digits+1)/2))[:digits]
}

func randomUUID(rng *rand.Rand) string {
	b := randomBytes(rng, 16)
	b[6] = b[6]&0x0f | 0x40 // version 4
	b[8] = b[8]&0x3f | 0x80 // RFC 9562 variant
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func randomBytes(rng *rand.Rand, n int) []byte {
	var b []byte
	for len(b) < n {
		b = binary.BigEndian.AppendUint64(b, rng.Uint64())
	}
	return b[:n]
}
