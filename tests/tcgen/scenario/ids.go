// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// reference is a span in a script: the ids of its trace and its own, with a slash between. It is empty for none.
type reference string

func newReference(trace pcommon.TraceID, span pcommon.SpanID) reference {
	return reference(trace.String() + "/" + span.String())
}

// Trace returns the id of the trace.
func (r reference) Trace() string {
	trace, _, _ := strings.Cut(string(r), "/")
	return trace
}

// Span returns the id of the span.
func (r reference) Span() string {
	_, span, _ := strings.Cut(string(r), "/")
	return span
}

func (r reference) ref() (s SpanRef) {
	if r == "" {
		return s
	}
	if _, err := hex.Decode(s.TraceID[:], []byte(r.Trace())); err != nil {
		panic(err)
	}
	if _, err := hex.Decode(s.SpanID[:], []byte(r.Span())); err != nil {
		panic(err)
	}
	return s
}

func (p *player) traceID() pcommon.TraceID {
	var id pcommon.TraceID
	copy(id[len(id)-p.traceIDBytes:], randomBytes(p.rng, p.traceIDBytes))
	return id
}

func (p *player) spanID() pcommon.SpanID {
	return pcommon.SpanID(randomBytes(p.rng, len(pcommon.SpanID{})))
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

// hexOf returns digits of an id that is always the same for a number. Ids of known label values cannot be random: a
// page is described before anything is drawn.
func hexOf(number, digits int) string {
	var b strings.Builder
	for state := uint64(number+1) * 0x9e3779b97f4a7c15; b.Len() < digits; state = state*6364136223846793005 + 1442695040888963407 {
		fmt.Fprintf(&b, "%08x", uint32(state>>32))
	}
	return b.String()[:digits]
}

// uuidOf is hexOf in the form of a UUID.
func uuidOf(number int) string {
	h := hexOf(number, 32)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
}
