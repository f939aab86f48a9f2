// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"math"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// inMilliseconds is the bit of a Duration that is in milliseconds, not in microseconds.
const inMilliseconds = 1 << 31

// Duration is how long a span took, in 32 bits: in microseconds up to 35 minutes, else in
// milliseconds up to 24 days. Longer spans have the longest Duration.
type Duration uint32

// NewDuration returns the duration of a span. It is 0 if the span ends before it starts.
func NewDuration(start, end pcommon.Timestamp) Duration {
	if end <= start {
		return 0
	}
	took := uint64(end - start)
	if us := took / uint64(time.Microsecond); us < inMilliseconds {
		return Duration(us)
	}
	return Duration(min(took/uint64(time.Millisecond), inMilliseconds-1)) | inMilliseconds
}

// End returns the end of a span of this duration.
func (d Duration) End(start pcommon.Timestamp) pcommon.Timestamp {
	took := uint64(d) * uint64(time.Microsecond)
	if d&inMilliseconds != 0 {
		took = uint64(d&^inMilliseconds) * uint64(time.Millisecond)
	}
	if uint64(start) > math.MaxUint64-took {
		return math.MaxUint64
	}
	return start + pcommon.Timestamp(took)
}
