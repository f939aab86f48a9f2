// SPDX-License-Identifier: Apache-2.0

package keylookup

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// Time is when a record was written, as exactly as it says: between the two. The zero Time is
// unknown.
type Time struct{ first, last pcommon.Timestamp }

// TimeOf returns the time of a timestamp. Texts have no more than microseconds, milliseconds or
// seconds, and cut off the rest.
func TimeOf(timestamp pcommon.Timestamp) Time {
	if timestamp == 0 {
		return Time{}
	}
	for _, unit := range [...]time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if timestamp%pcommon.Timestamp(unit) == 0 {
			return Time{timestamp, timestamp + pcommon.Timestamp(unit) - 1}
		}
	}
	return Time{timestamp, timestamp}
}

// isIn reports whether a record was written while a span lasted.
func (t Time) isIn(m *correlation.Member) bool {
	return t == Time{} || m.Start <= t.first && t.last <= m.End
}
