// SPDX-License-Identifier: Apache-2.0

package links

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// longHold is longer than any test.
const longHold = 5 * time.Minute

// A log that comes before its span waits for it, and one whose span never comes goes on
// as it was.
func TestLogsWaitForTheirSpans(t *testing.T) {
	t.Parallel()
	const hold, before = 4 * time.Second, 1500 * time.Millisecond
	c := linking{spans: payload.RulesOfJobs(hold), logs: payload.RulesOfJobs(hold) + fmt.Sprintf(", hold: %s", hold)}.start(t)
	sent := payload.JobLogs("early", "never")
	begin := time.Now()
	collectortest.PostLogs(t, c, sent)
	// A later log shows that those before it have not been overlooked.
	other := plog.NewLogs()
	other.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr("no key")
	collectortest.PostLogs(t, c, other)
	requireSame(t, recordLines(t, other), recordLines(t, collectortest.AwaitRecords(t, c, 1)), "record without a key")
	time.Sleep(before - time.Since(begin))
	require.Equal(t, 1, c.LogRecords(t).LogRecordCount(), "records before the span came")

	ref := payload.PostJob(t, c, payload.RunName, "early")
	enriched := collectortest.AwaitRecords(t, c, 2)
	assert.Less(t, time.Since(begin), hold, "the record came out as soon as its span was there")
	logs := collectortest.AwaitRecords(t, c, 3)
	assert.GreaterOrEqual(t, time.Since(begin), hold, "the other one was held for all of its time")

	// Nothing but the ids has changed.
	want := plog.NewLogs()
	sent.CopyTo(want)
	first := want.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
	first.SetTraceID(ref.TraceID)
	first.SetSpanID(ref.SpanID)
	other.ResourceLogs().MoveAndAppendTo(want.ResourceLogs())
	requireSame(t, recordLines(t, want), recordLines(t, logs), "records")
	assert.Equal(t, 2, enriched.LogRecordCount())
	require.Zero(t, c.Stop(t).Code)
	assert.Equal(t, 3, c.LogRecords(t).LogRecordCount(), "each record came out once")
}

// More logs and spans than can be held: the oldest go on, and all come out once.
func TestOverflowOfWhatIsHeld(t *testing.T) {
	t.Parallel()
	const bound = 500
	f := func(name string, atOnce int) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := linking{
				spans: payload.RulesOfJobs(longHold) + fmt.Sprintf(", max_held_spans: %d", bound),
				logs:  payload.RulesOfJobs(longHold) + fmt.Sprintf(", hold: %s, max_held_records: %d", longHold, bound),
			}.start(t)
			logs, traces := plog.NewLogs(), ptrace.NewTraces()
			for first := 0; first < 2*bound; first += atOnce {
				keys := payload.Numbered(fmt.Sprint("from", first), atOnce)
				someLogs, someTraces := payload.JobLogs(keys...), takes(keys...)
				collectortest.PostLogs(t, c, someLogs)
				collectortest.PostTraces(t, c, someTraces)
				someLogs.ResourceLogs().MoveAndAppendTo(logs.ResourceLogs())
				someTraces.ResourceSpans().MoveAndAppendTo(traces.ResourceSpans())
			}
			records, spans := collectortest.AwaitRecords(t, c, bound), collectortest.AwaitSpans(t, c, bound)
			assert.Equal(t, bound, records.LogRecordCount(), "records that made room")
			assert.Equal(t, bound, spans.SpanCount(), "spans that made room")
			assert.Equal(t, float64(bound), collectortest.SelfCount(t, c, "log_correlation_released", map[string]string{"reason": "overflow"}))
			require.Zero(t, c.Stop(t).Code)
			requireSame(t, recordLines(t, logs), recordLines(t, c.LogRecords(t)), "records")
			requireSame(t, spanLines(t, traces), spanLines(t, c.Traces(t)), "spans")
		})
	}
	f("in small batches", 10)
	f("in one batch of twice the bound", 2*bound)
}

// takes are spans that wait, one for each key.
func takes(keys ...string) ptrace.Traces { return payload.JobsOf(payload.TakeName, keys...) }

// SIGTERM with ten thousand logs and as many spans held: all are delivered, in time.
func TestSIGTERMDeliversWhatIsHeld(t *testing.T) {
	t.Parallel()
	const held, atOnce = 10_000, 1000
	c := linking{
		spans: payload.RulesOfJobs(longHold) + fmt.Sprintf(", max_held_spans: %d, max_held_mib: 256", held),
		logs:  payload.RulesOfJobs(longHold) + fmt.Sprintf(", hold: %s, max_held_records: %d, max_held_mib: 256", longHold, held),
	}.start(t)
	logs, traces := plog.NewLogs(), ptrace.NewTraces()
	for i := range held / atOnce {
		keys := payload.Numbered(fmt.Sprint("batch", i), atOnce)
		someLogs, someTraces := payload.JobLogs(keys...), takes(keys...)
		collectortest.PostLogs(t, c, someLogs)
		collectortest.PostTraces(t, c, someTraces)
		someLogs.ResourceLogs().MoveAndAppendTo(logs.ResourceLogs())
		someTraces.ResourceSpans().MoveAndAppendTo(traces.ResourceSpans())
	}
	assert.Equal(t, float64(held), collectortest.SelfCount(t, c, "log_correlation_held", nil))
	assert.Equal(t, float64(held), collectortest.SelfCount(t, c, "span_link_held", nil))
	require.Zero(t, c.LogRecords(t).LogRecordCount())
	require.Zero(t, c.Traces(t).SpanCount())

	exit := c.Stop(t)
	assert.Zero(t, exit.Code)
	collectortest.Within(t, exit.Took, collectortest.StopLimit)
	t.Logf("ended %s after SIGTERM", exit.Took)
	requireSame(t, recordLines(t, logs), recordLines(t, c.LogRecords(t)), "records")
	requireSame(t, spanLines(t, traces), spanLines(t, c.Traces(t)), "spans")
}

// A span that waits gets its link from an earlier stage that comes within the hold.
func TestSpansWaitForEarlierStages(t *testing.T) {
	t.Parallel()
	const hold = 1500 * time.Millisecond
	c := linking{spans: payload.RulesOfJobs(hold), logs: payload.RulesOfJobs(hold)}.start(t)
	begin := time.Now()
	took := payload.PostJob(t, c, payload.TakeName, "a")
	gone := payload.PostJob(t, c, payload.TakeName, "b")
	put := payload.PostJob(t, c, payload.PutName, "a")
	// What it waited for is there, but it has no link until it is due.
	assert.Empty(t, derivedLinks(awaitSpan(t, c, put)))
	awaitLink(t, c, took, backward("held", put, took))
	assert.GreaterOrEqual(t, time.Since(begin), hold)
	assert.Empty(t, derivedLinks(awaitSpan(t, c, gone)))

	// Its time is over: the earlier stage carries the link.
	late := payload.PostJob(t, c, payload.PutName, "b")
	awaitLink(t, c, late, derivedLink{earlier: late, later: gone, rule: "held", evidence: "span", forward: true})
	require.Zero(t, c.Stop(t).Code)
	requireOnce(t, c.Traces(t), took, gone, put, late)
}

// requireOnce checks that some spans came out, each once, and no others.
func requireOnce(t *testing.T, traces ptrace.Traces, want ...scenario.SpanRef) {
	t.Helper()
	got := map[scenario.SpanRef]int{}
	for span := range collectortest.SpansOf(traces) {
		got[collectortest.SpanRef(span)]++
	}
	assert.Equal(t, len(want), traces.SpanCount(), "spans")
	for _, ref := range want {
		require.Equal(t, 1, got[ref], "span %v", ref)
	}
}
