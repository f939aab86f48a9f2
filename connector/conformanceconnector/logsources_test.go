package conformanceconnector

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog"
)

// records adds log records of a scope.
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
	s.logs(ld)
	s.logs(ld)
	assert.Equal(t, []LogSource{
		{"b", "bad", 8, 0, 0, 0},
		{"b", "one.log", 4, 0, 0, 0},
		{"b", "other.log", 2, 0, 0, 0},
		{"a", "half", 6, 4, 0, 2},
		{"a", "good", 6, 6, 6, 0},
	}, s.now().LogSources)

	s.report(time.Now().Add(forgetAfter+time.Minute), true)
	assert.Empty(t, s.now().LogSources, "those of services that are forgotten are as well")
}

func TestLogSourcesAreBounded(t *testing.T) {
	s, ld := newTestState(t, nil), plog.NewLogs()
	for i := range maxLogSources + 7 {
		addRecords(ld, "a", strconv.Itoa(i), 2, func(plog.LogRecord) {})
	}
	s.logs(ld)
	r := s.now()
	assert.Len(t, r.LogSources, maxLogSources)
	assert.EqualValues(t, 14, r.limit(limitSources))
}
