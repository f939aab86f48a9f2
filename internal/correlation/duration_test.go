// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

func TestDuration(t *testing.T) {
	const start = pcommon.Timestamp(1_000_000_000)
	f := func(took, want time.Duration) {
		t.Helper()
		assert.Equal(t, start+pcommon.Timestamp(want), NewDuration(start, start+pcommon.Timestamp(took)).End(start))
	}
	f(0, 0)
	f(999, 0)
	f(1100*time.Microsecond, 1100*time.Microsecond)
	f(35*time.Minute+1234, 35*time.Minute+1*time.Microsecond)
	f(36*time.Minute+1234567, 36*time.Minute+time.Millisecond)
	f(20*24*time.Hour, 20*24*time.Hour)
	f(100*365*24*time.Hour, (1<<31-1)*time.Millisecond)
	assert.Equal(t, start, NewDuration(start, start-5).End(start))
	assert.Equal(t, pcommon.Timestamp(math.MaxUint64), NewDuration(0, math.MaxUint64).End(math.MaxUint64-1))
}
