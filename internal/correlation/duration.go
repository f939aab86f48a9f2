package correlation

import (
	"math"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// inMilliseconds tells that a Duration is not in microseconds.
const inMilliseconds = 1 << 31

// Duration is how long a span took, in 32 bits: in microseconds up to 35 minutes, in
// milliseconds up to 24 days, and that for all that took longer.
type Duration uint32

// NewDuration is that of a span. One that ends before it starts took no time.
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

// End is the end of a span that took so long.
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
