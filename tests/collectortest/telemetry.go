// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"cmp"
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// MetricsByResource iterates over all metrics, each with its resource.
func MetricsByResource(metrics pmetric.Metrics) iter.Seq2[pcommon.Resource, pmetric.Metric] {
	return func(yield func(pcommon.Resource, pmetric.Metric) bool) {
		for _, resource := range metrics.ResourceMetrics().All() {
			for _, scope := range resource.ScopeMetrics().All() {
				for _, metric := range scope.Metrics().All() {
					if !yield(resource.Resource(), metric) {
						return
					}
				}
			}
		}
	}
}

// AllMetrics iterates over the metrics of all resources and scopes.
func AllMetrics(metrics pmetric.Metrics) iter.Seq[pmetric.Metric] {
	return items(MetricsByResource(metrics))
}

// items iterates over items without their resources.
func items[T any](all iter.Seq2[pcommon.Resource, T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, item := range all {
			if !yield(item) {
				return
			}
		}
	}
}

// ServiceName returns the service.name of a resource.
func ServiceName(resource pcommon.Resource) string {
	return cmp.Or(judge.Text(resource.Attributes(), "service.name"), "unknown")
}

// RecordsByResource iterates over all log records, each with its resource.
func RecordsByResource(logs plog.Logs) iter.Seq2[pcommon.Resource, plog.LogRecord] {
	return func(yield func(pcommon.Resource, plog.LogRecord) bool) {
		for _, resource := range logs.ResourceLogs().All() {
			for _, scope := range resource.ScopeLogs().All() {
				for _, record := range scope.LogRecords().All() {
					if !yield(resource.Resource(), record) {
						return
					}
				}
			}
		}
	}
}

// Records iterates over all log records.
func Records(logs plog.Logs) iter.Seq[plog.LogRecord] { return items(RecordsByResource(logs)) }

// RequireArrived waits until exactly these spans are written, each once.
func RequireArrived(t *testing.T, files *Collector, want ...scenario.SpanRef) {
	t.Helper()
	var got []scenario.SpanRef
	Eventually(t, ArrivalTimeout, func() (bool, string) {
		got = RefsOf(files.Traces(t))
		return len(got) >= len(want), fmt.Sprintf("%d of %d spans written", len(got), len(want))
	})
	require.ElementsMatch(t, want, got)
}

// RefsOf returns the ids of all spans.
func RefsOf(traces ptrace.Traces) (refs []scenario.SpanRef) {
	for span := range SpansOf(traces) {
		refs = append(refs, SpanRef(span))
	}
	return refs
}

// SpansByResource iterates over all spans, each with its resource.
func SpansByResource(traces ptrace.Traces) iter.Seq2[pcommon.Resource, ptrace.Span] {
	return func(yield func(pcommon.Resource, ptrace.Span) bool) {
		for _, resource := range traces.ResourceSpans().All() {
			for _, scope := range resource.ScopeSpans().All() {
				for _, span := range scope.Spans().All() {
					if !yield(resource.Resource(), span) {
						return
					}
				}
			}
		}
	}
}

// SpansOf iterates over all spans.
func SpansOf(traces ptrace.Traces) iter.Seq[ptrace.Span] { return items(SpansByResource(traces)) }

// SpanRef returns the ids of a span.
func SpanRef(span ptrace.Span) scenario.SpanRef {
	return scenario.SpanRef{TraceID: span.TraceID(), SpanID: span.SpanID()}
}

// AwaitSpans waits until the number of written spans is at least want.
func AwaitSpans(t *testing.T, c *Collector, want int) ptrace.Traces {
	t.Helper()
	return await(t, c.file("traces.json"), c.Traces, ptrace.Traces.SpanCount, want, "spans")
}

// AwaitRecords waits until the number of written log records is at least want.
func AwaitRecords(t *testing.T, c *Collector, want int) plog.Logs {
	t.Helper()
	return await(t, c.file("logs.json"), c.LogRecords, plog.Logs.LogRecordCount, want, "records")
}

// await reads a file each time when it has grown, until it has so many items.
func await[B any](t *testing.T, path string, read func(testing.TB) B, countOf func(B) int, want int, what string) (all B) {
	t.Helper()
	count, size := 0, int64(-1)
	Eventually(t, ArrivalTimeout, func() (bool, string) {
		now := int64(0)
		if info, err := os.Stat(path); err == nil {
			now = info.Size()
		}
		if now > size {
			size, all = now, read(t)
			count = countOf(all)
		}
		return count >= want, fmt.Sprintf("%d of %d %s written", count, want, what)
	})
	return all
}

// SelfCount returns the sum of one of the collector's own counters.
func SelfCount(t *testing.T, c *Collector, name string, labels map[string]string) float64 {
	t.Helper()
	for family, metrics := range c.SelfMetrics(t) {
		// The names on the page have a suffix for the unit, and _total.
		if rest, ok := strings.CutPrefix(family, "otelcol_"+name); ok && (rest == "" || strings.HasPrefix(rest, "_")) {
			return Sum(metrics, labels)
		}
	}
	return 0
}

// EachScoped calls do for each metric, with its resource and scope.
func EachScoped(metrics pmetric.Metrics, do func(pcommon.Resource, pcommon.InstrumentationScope, pmetric.Metric)) {
	for _, resource := range metrics.ResourceMetrics().All() {
		for _, scope := range resource.ScopeMetrics().All() {
			for _, metric := range scope.Metrics().All() {
				do(resource.Resource(), scope.Scope(), metric)
			}
		}
	}
}
