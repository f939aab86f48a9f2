// SPDX-License-Identifier: Apache-2.0

package scenario_test

import (
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

var base = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

// scenarios is how many scenarios a test looks at: enough for all variants.
const scenarios = 20

func generate(t *testing.T, system string, seed uint64) (scenario.Generator, []scenario.Batch) {
	t.Helper()
	g, err := scenario.New(system, seed, base)
	if err != nil {
		t.Fatal(err)
	}
	var batches []scenario.Batch
	for i := range scenarios {
		batches = append(batches, g.Next(nowOf(i)))
	}
	return g, batches
}

func nowOf(i int) time.Time { return base.Add(time.Duration(i+1) * 10 * time.Second) }

type spanIn struct {
	ptrace.Span
	resource pcommon.Resource
	scope    string
}

func (s spanIn) ref() scenario.SpanRef {
	return scenario.SpanRef{TraceID: s.TraceID(), SpanID: s.SpanID()}
}

func spans(b scenario.Batch) []spanIn {
	var all []spanIn
	for _, rs := range b.Traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				all = append(all, spanIn{s, rs.Resource(), ss.Scope().Name()})
			}
		}
	}
	return all
}

func metrics(b scenario.Batch) []pmetric.Metric {
	var all []pmetric.Metric
	for _, rm := range b.Metrics.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				all = append(all, m)
			}
		}
	}
	return all
}

func records(b scenario.Batch) []plog.LogRecord {
	var all []plog.LogRecord
	for _, rl := range b.Logs.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, r := range sl.LogRecords().All() {
				all = append(all, r)
			}
		}
	}
	return all
}

// gather returns what the system exposes for scraping, if anything.
func gather(t *testing.T, g scenario.Generator) []*dto.MetricFamily {
	t.Helper()
	scraped, ok := g.(scenario.Scraped)
	if !ok {
		return nil
	}
	families, err := scraped.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	return families
}
