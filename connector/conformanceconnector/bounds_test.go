// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/namecache"
	"github.com/otelcol-tc/otelcol-tc/internal/soak"
)

// hostileNames returns the number of distinct names, services and traces to send. `make soak` sends ten
// million.
func hostileNames(t *testing.T) int {
	t.Helper()
	return soak.Names(t, 100_000)
}

// padding makes a name almost as long as a cached name can be.
var padding = strings.Repeat("x", namecache.MaxLength-40)

// TestHostileTelemetry sends distinct services, scopes, names, keys, values and traces, almost as long as
// cached ones can be. All are counted, and the report is bounded.
func TestHostileTelemetry(t *testing.T) {
	s := newTestState(t, nil)
	const each = 1000
	rng := newRand(1)
	trace := newTraceID(rng)
	for i, n := 0, hostileNames(t); i < n; {
		td, md, ld := ptrace.NewTraces(), pmetric.NewMetrics(), plog.NewLogs()
		service := "service-" + strconv.Itoa(i) + padding
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", service)
		rs.ScopeSpans().AppendEmpty().Scope().SetName("scope" + service)
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("service.name", service)
		rm.ScopeMetrics().AppendEmpty()
		rl := ld.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr("service.name", service)
		rl.ScopeLogs().AppendEmpty().Scope().SetName("scope" + service)
		for range each {
			text := strconv.Itoa(i) + "q" + padding
			span := rs.ScopeSpans().At(0).Spans().AppendEmpty()
			span.SetName([...]string{"Comp/A", "module.", "some words ", "GET /"}[i%4] + text)
			if i%5 == 0 { // so that traces and spans reach their limits together
				trace = newTraceID(rng)
			}
			span.SetTraceID(trace)
			span.SetSpanID(newSpanID(rng))
			span.SetParentSpanID(newSpanID(rng))
			span.Attributes().PutStr("tc.Wrong"+text, text)
			span.Attributes().PutStr("tc.original_name", "original"+text)
			span.Links().AppendEmpty().Attributes().PutStr(linkRuleKey, text)
			m := rm.ScopeMetrics().At(0).Metrics().AppendEmpty()
			m.SetName([...]string{"tc_", "tuft.", "other.name.", "camelCase"}[i%4] + text)
			m.SetEmptyGauge().DataPoints().AppendEmpty().Attributes().PutStr("k", text)
			rl.ScopeLogs().At(0).LogRecords().AppendEmpty().Attributes().PutStr("tc.Wrong"+text, text)
			i++
		}
		s.judgeTraces(td)
		s.judgeMetrics(md)
		s.judgeLogs(ld)
		if i%100_000 == 0 {
			s.now()
			s.sweep(time.Now())
		}
	}
	r := s.now()
	var spans int64
	for _, svc := range r.Services {
		n, _ := scoreOf(&svc, "traces")
		spans += n
	}
	assert.EqualValues(t, hostileNames(t), spans, "all spans are counted")
	assert.LessOrEqual(t, len(r.Services), s.config.MaxServices+1)
	assert.LessOrEqual(t, len(r.Metrics), s.config.MaxMetrics)
}
