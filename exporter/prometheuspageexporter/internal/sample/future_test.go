// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// The time after the arrival stays free for points with correct times.
func TestFutureIsNotCovered(t *testing.T) {
	var c covered
	f := func(now, start, end pcommon.Timestamp, want Reason, spans ...span) {
		t.Helper()
		assert.Equal(t, want, c.add(start, end, now), "(%d, %d] at %d", start, end, now)
		assert.Equal(t, spans, c.spans)
	}
	const day = 1_000_000
	f(100, day, day+10, Shown) // covers no time
	assert.Zero(t, c.start())
	f(100, 90, day, Shown, span{90, 100})
	f(105, 90, day, Overlap, span{90, 100}) // arrives again
	f(110, 100, 110, Shown, span{90, 110})
	f(115, day, day+10, Shown, span{90, 110})
	f(115, day, day+10, Shown, span{90, 110})
	f(115, day+10, day, Malformed, span{90, 110})
	f(115, day, day, Shown, span{90, 110}) // of no length
	f(120, 110, 120, Shown, span{90, 120})
	f(130, 0, day, Shown, span{90, 130})    // since the last one
	f(130, 0, day+10, Shown, span{90, 130}) // in the same batch
	f(140, 130, 141, Shown, span{90, 140})  // a little ahead
	f(150, 141, 151, Shown, span{90, 140}, span{141, 150})
	f(150, 140, 141, Shown, span{90, 150}) // the gap
}
