// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// addRecords adds log records of a scope.
func addRecords(ld plog.Logs, service, scope string, n int, change func(plog.LogRecord)) {
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", service)
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName(scope)
	for range n {
		change(sl.LogRecords().AppendEmpty())
	}
}

func TestLogSources(t *testing.T) {
	s, ld, rng := newTestState(t, nil), plog.NewLogs(), newRand(1)
	addRecords(ld, "a", "good", 3, func(r plog.LogRecord) {
		r.SetTraceID(newTraceID(rng))
		r.SetSpanID(newSpanID(rng))
	})
	addRecords(ld, "a", "half", 2, func(r plog.LogRecord) { r.SetTraceID(newTraceID(rng)) })
	addRecords(ld, "a", "half", 1, func(r plog.LogRecord) {
		r.Attributes().PutStr("trace_id", newTraceID(rng).String())
	})
	addRecords(ld, "b", "bad", 4, func(plog.LogRecord) {})
	addRecords(ld, "b", "silent", 0, nil)
	addRecords(ld, "b", "", 2, func(r plog.LogRecord) { r.Attributes().PutStr(fileNameKey, "one.log") })
	addRecords(ld, "b", "", 1, func(r plog.LogRecord) { r.Attributes().PutStr(fileNameKey, "other.log") })
	s.judgeLogs(context.Background(), ld)
	s.judgeLogs(context.Background(), ld)
	assert.Equal(t, []conformance.LogSource{
		{Service: "b", Name: "bad", Records: 8, WithTrace: 0, WithSpan: 0, InAttributes: 0},
		{Service: "b", Name: "one.log", Records: 4, WithTrace: 0, WithSpan: 0, InAttributes: 0, File: true},
		{Service: "b", Name: "other.log", Records: 2, WithTrace: 0, WithSpan: 0, InAttributes: 0, File: true},
		{Service: "a", Name: "half", Records: 6, WithTrace: 4, WithSpan: 0, InAttributes: 2},
		{Service: "a", Name: "good", Records: 6, WithTrace: 6, WithSpan: 6, InAttributes: 0},
	}, s.now().LogSources)

	s.report(time.Now().Add(report.ForgetAfter+time.Minute), true)
	assert.Empty(t, s.now().LogSources, "the sources of forgotten services are forgotten")
}

func TestLogSourcesAreBounded(t *testing.T) {
	s, ld := newTestState(t, nil), plog.NewLogs()
	for i := range report.MaxSources + 7 {
		addRecords(ld, "a", strconv.Itoa(i), 2, func(plog.LogRecord) {})
	}
	s.judgeLogs(context.Background(), ld)
	r := s.now()
	assert.Len(t, r.LogSources, report.MaxSources)
	assert.EqualValues(t, 14, r.Limits[report.LimitSources].Total)
}
