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
func TestAnd(t *testing.T) {
	one := Answer{Found, pcommon.TraceID{1}, pcommon.SpanID{1}, 1}
	sameTrace := Answer{Found, pcommon.TraceID{1}, pcommon.SpanID{2}, 1}
	other := Answer{Found, pcommon.TraceID{2}, pcommon.SpanID{1}, 1}
	f := func(a, b, want Answer) {
		t.Helper()
		assert.Equal(t, want, a.And(b))
		assert.Equal(t, want, b.And(a))
	}
	f(one, one, one)
	f(one, sameTrace, Answer{Kind: Found, Trace: pcommon.TraceID{1}})
	f(one, other, Answer{Kind: Several})
	for _, kind := range []Kind{Unanswered, Nobody, Nothing, Several} {
		f(one, Answer{Kind: kind}, Answer{Kind: kind})
	}
	f(Answer{Kind: Nobody}, Answer{Kind: Several}, Answer{Kind: Several})
	f(Answer{Kind: Unanswered}, Answer{Kind: Nobody}, Answer{Kind: Nobody})
}

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
