// SPDX-License-Identifier: Apache-2.0

package keylookup

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// A timestamp stands for all of the time that it may have been cut off from.
func TestTime(t *testing.T) {
	const start, end = pcommon.Timestamp(10*time.Second + 500), pcommon.Timestamp(12*time.Second + 500)
	members := []correlation.Member{{TraceID: pcommon.TraceID{1}, SpanID: pcommon.SpanID{1}, Start: start, End: end}}
	f := func(at time.Duration, want Kind) {
		t.Helper()
		assert.Equal(t, want, SpanOf(members, true, TimeOf(pcommon.Timestamp(at))).Kind, at)
	}
	f(10*time.Second, Found)
	f(12*time.Second, Found)
	f(9*time.Second, Found) // a whole second is any time within it
	f(13*time.Second, Nobody)
	f(8*time.Second, Nobody)
	const late = 100 * time.Millisecond
	f(12*time.Second+late+500, Found)
	f(12*time.Second+late+501, Nobody)
	f(10*time.Second-late+500, Found)
	f(10*time.Second-late+499, Nobody)
	f(10*time.Second-late, Found) // all of the millisecond
	f(10*time.Second-late-time.Millisecond, Nobody)
	assert.Equal(t, Found, SpanOf(members, true, Time{}).Kind, "at any time")
}
