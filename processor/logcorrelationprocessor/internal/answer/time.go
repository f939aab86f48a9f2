// SPDX-License-Identifier: Apache-2.0

package answer

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
func TimeOf(at pcommon.Timestamp) Time {
	if at == 0 {
		return Time{}
	}
	for _, unit := range [...]time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if at%pcommon.Timestamp(unit) == 0 {
			return Time{at, at + pcommon.Timestamp(unit) - 1}
		}
	}
	return Time{at, at}
}

// isIn reports whether a record was written while a span lasted.
func (t Time) isIn(m *correlation.Member) bool {
	return t == Time{} || m.Start <= t.first && t.last <= m.End
}
