// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/soak"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

const (
	spansPerRequest      = 5000
	conformanceMemoryMiB = 128 // as its README says
	// Spans are judged as they come, and what is said goes nowhere.
	onlyConformance = `yaml:{
  receivers: {nop: }, exporters: {nop: },
  connectors: {conformance: {interval: 1s, window: 1s}},
  service: {pipelines: {
    traces: {processors: [], exporters: [conformance]}, traces/spans: {receivers: [nop]}, logs: {exporters: [conformance]}, metrics/genai: {receivers: [nop]},
    metrics/conformance: {exporters: [nop]}, logs/conformance: {exporters: [nop]}}}}`
)

// However many services, names, keys and traces come, what remembers them stays within
// its bound, and the page still answers.
func TestMemoryOfHostileConformance(t *testing.T) {
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", onlyConformance}, Env: collectortest.LittleGarbage})
	for range 50 {
		collectortest.PostTraces(t, c, hostileSpans(0))
	}
	known := c.PeakRSS(t)
	want := soak.Names(t, 200_000)
	sent := 0
	for ; sent < want; sent += spansPerRequest {
		collectortest.PostTraces(t, c, hostileSpans(sent))
	}
	c.PeakRSSWithin(t, known+conformanceMemoryMiB*collectortest.MiB)

	var checked int64
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		report := collectortest.ConformanceReport(t, c)
		checked = 0
		for _, service := range report.Services {
			for _, score := range service.Scores {
				if score.Signal == "traces" {
					checked += score.Checked
				}
			}
		}
		assert.LessOrEqual(t, len(report.Services), 201, "those that are told apart, and the rest")
		assert.LessOrEqual(t, len(report.Findings), 2010, "those that are told apart, as many of names that pass, and one a rule")
		return checked == int64(sent+50*spansPerRequest), fmt.Sprintf("%d of %d spans counted", checked, sent+50*spansPerRequest)
	})
}

// hostileSpans are spans of as many services, names, keys and traces.
func hostileSpans(first int) ptrace.Traces {
	traces := ptrace.NewTraces()
	now := pcommon.NewTimestampFromTime(time.Now())
	for i := range spansPerRequest {
		n := first + i
		rs := traces.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", fmt.Sprintf("service <script>%d</script>", n))
		span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		span.SetName(fmt.Sprintf("do <img src=x onerror=alert(%d)>", n))
		span.SetStartTimestamp(now)
		span.SetEndTimestamp(now)
		ref := payload.NewSpanRef()
		span.SetTraceID(ref.TraceID)
		span.SetSpanID(ref.SpanID)
		span.SetParentSpanID(pcommon.SpanID{1})
		span.Attributes().PutStr(fmt.Sprintf("key-%d", n), "v")
	}
	return traces
}
