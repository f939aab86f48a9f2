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

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/items"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// longHold is longer than any test.
const longHold = 5 * time.Minute

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
	items.RequireSame(t, items.Of(t, logs), items.Of(t, c.LogRecords(t)))
	items.RequireSame(t, items.Of(t, traces), items.Of(t, c.Traces(t)))
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
