// SPDX-License-Identifier: Apache-2.0

package payload

import (
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// Timestamp returns the present time.
func Timestamp() pcommon.Timestamp { return pcommon.NewTimestampFromTime(time.Now()) }

// The rules of these tests: a job is handed from Put to Get, or to Take, which waits for
// Put. Logs know the job that Run does.
const (
	jobRules = `rules: [
  {name: handoff, key: {span_attribute: job.key}, from: {span_name: Producer/Put}, to: {span_name: Consumer/Get}},
  {name: held, key: {span_attribute: job.key}, from: {span_name: Producer/Put}, to: {span_name: Consumer/Take}, hold: %s},
  {name: work, key: {span_attribute: job.key}, from: {span_name: Worker/Run}, logs: [{body: "job {key}"}]}]`
	PutName  = "Producer/Put"
	GetName  = "Consumer/Get"
	TakeName = "Consumer/Take"
	RunName  = "Worker/Run"
)

// RulesOfJobs returns the setting rules, where spans called Take wait for so long.
func RulesOfJobs(hold time.Duration) string { return fmt.Sprintf(jobRules, hold) }

// Job makes a span with a key, the root of a trace of its own.
func Job(name, key string) (ptrace.Traces, scenario.SpanRef) {
	traces := ptrace.NewTraces()
	return traces, AddJob(traces, name, key)
}

// JobsOf makes a span for each key.
func JobsOf(name string, keys ...string) ptrace.Traces {
	traces := ptrace.NewTraces()
	for _, key := range keys {
		AddJob(traces, name, key)
	}
	return traces
}

// AddJob adds a span with a key, the root of a trace of its own.
func AddJob(traces ptrace.Traces, name, key string) scenario.SpanRef {
	resource := traces.ResourceSpans().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", "jobs")
	span := resource.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	ref := NewSpanRef()
	span.SetTraceID(ref.TraceID)
	span.SetSpanID(ref.SpanID)
	span.SetName(name)
	span.SetKind(ptrace.SpanKindInternal)
	span.SetStartTimestamp(Timestamp())
	span.SetEndTimestamp(span.StartTimestamp() + 1000)
	span.Attributes().PutStr("job.key", key)
	return ref
}

// NewSpanRef returns random ids.
func NewSpanRef() (ref scenario.SpanRef) {
	// It never fails.
	_, _ = rand.Read(ref.TraceID[:])
	_, _ = rand.Read(ref.SpanID[:])
	return ref
}

// JobLogs makes records without ids, each with one of the keys.
func JobLogs(keys ...string) plog.Logs {
	logs := plog.NewLogs()
	resource := logs.ResourceLogs().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", "jobs")
	scope := resource.ScopeLogs().AppendEmpty()
	scope.Scope().SetName("worker")
	for _, key := range keys {
		record := scope.LogRecords().AppendEmpty()
		record.SetTimestamp(Timestamp())
		record.SetObservedTimestamp(record.Timestamp())
		record.SetSeverityNumber(plog.SeverityNumberInfo)
		record.Body().SetStr("job " + key + " is done")
		record.Attributes().PutStr("thread.name", "worker-1")
	}
	return logs
}

// Numbered returns so many keys.
func Numbered(prefix string, n int) []string {
	var keys []string
	for i := range n {
		keys = append(keys, fmt.Sprintf("%s-%d", prefix, i))
	}
	return keys
}

// PostJob sends one span with a key.
func PostJob(t *testing.T, c *collectortest.Collector, name, key string) scenario.SpanRef {
	t.Helper()
	traces, ref := Job(name, key)
	collectortest.PostTraces(t, c, traces)
	return ref
}
