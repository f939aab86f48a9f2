// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/tests/clients"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// startAgent starts an agent of a host that reads files and sends to a gateway.
func startAgent(t *testing.T, gateway *collectortest.Collector, globs string) *collectortest.Collector {
	t.Helper()
	return collectortest.Start(t, collectortest.Options{
		Configs: []string{"builtin:agent", "builtin:fragments/agent-host"},
		Env:     map[string]string{"OTELCOL_TC_LOG_FILES": globs, "OTELCOL_TC_NODE": "node-1", "OTELCOL_TC_GATEWAYS": fmt.Sprintf("[%q]", gateway.GRPC)},
	})
}

// awaitFileRecords waits until so many records of text logs came out.
func awaitFileRecords(t *testing.T, c *collectortest.Collector, want int) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		got := 0
		for _, file := range collectortest.FileRecords(c.LogRecords(t)) {
			got += len(file)
		}
		return got >= want, fmt.Sprintf("%d of %d records of text logs written", got, want)
	})
}

// checkEntries checks that the entries of a file came out, each as one record in the
// span that it was written in.
func checkEntries(t *testing.T, want []clients.SentEntry, got []plog.LogRecord) {
	t.Helper()
	require.Len(t, bodies(got), len(want))
	for i, entry := range want {
		record := got[i]
		assert.Contains(t, record.Body().AsString(), entry.Body)
		assert.Equal(t, entry.Severity, record.SeverityText(), entry.Body)
		assert.NotZero(t, record.SeverityNumber(), entry.Body)
		assert.NotZero(t, record.Timestamp(), entry.Body)
		assert.Equal(t, entry.TraceID, record.TraceID().String(), entry.Body)
		assert.Equal(t, entry.SpanID, record.SpanID().String(), entry.Body)
	}
}

// bodies returns what records say, to show when they are not those wanted.
func bodies(records []plog.LogRecord) []string {
	var all []string
	for _, record := range records {
		all = append(all, record.Body().AsString())
	}
	return all
}

// spansOut returns the spans that came out, and their traces.
func spansOut(t *testing.T, c *collectortest.Collector) (spans map[scenario.SpanRef]bool, traces map[pcommon.TraceID]bool) {
	t.Helper()
	spans, traces = map[scenario.SpanRef]bool{}, map[pcommon.TraceID]bool{}
	for span := range collectortest.SpansOf(c.Traces(t)) {
		spans[scenario.SpanRef{TraceID: span.TraceID(), SpanID: span.SpanID()}] = true
		traces[span.TraceID()] = true
	}
	return spans, traces
}
