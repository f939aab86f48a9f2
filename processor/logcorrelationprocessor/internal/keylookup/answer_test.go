// SPDX-License-Identifier: Apache-2.0

package keylookup

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// A record with several keys belongs to a trace only if all of them do.
// A timestamp stands for all of the time that it may have been cut off from.
func TestTime(t *testing.T) {
	const start, end = pcommon.Timestamp(10*time.Second + 500), pcommon.Timestamp(12*time.Second + 500)
	members := []correlation.Member{{TraceID: pcommon.TraceID{1}, SpanID: pcommon.SpanID{1}, Start: start, End: end}}
	f := func(at time.Duration, want Kind) {
		t.Helper()
		assert.Equal(t, want, SpanOf(members, true, TimeOf(pcommon.Timestamp(at))).Kind, at)
	}
	f(10*time.Second, Nobody)
	f(11*time.Second, Found)
	f(12*time.Second, Nobody)
	f(10*time.Second+time.Millisecond, Found)
	f(12*time.Second+500, Found)
	f(12*time.Second+501, Nobody)
	f(10*time.Second+499, Nobody)
	f(10*time.Second+500, Found)
	assert.Equal(t, Found, SpanOf(members, true, Time{}).Kind, "at any time")
}
