// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

func TestPlausible(t *testing.T) {
	f := func(want bool, at time.Time) {
		t.Helper()
		assert.Equal(t, want, Plausible(pcommon.NewTimestampFromTime(at)), "%s", at)
	}
	f(false, time.Unix(0, 0))
	f(false, time.Unix(0, 0).Add(400*24*time.Hour)) // a machine that runs for long
	f(true, time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC))
	f(true, time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC))
	assert.False(t, Plausible(0))
}
