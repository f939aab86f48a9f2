// SPDX-License-Identifier: Apache-2.0

// Package items compares telemetry item by item, in all that it has.
package items

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Of returns the spans, data points or log records of telemetry. Each is a whole OTLP document in JSON, with its
// resource, its scope and their schema URLs, so that a difference anywhere shows. Only the order of items is lost.
func Of(t *testing.T, data any) (all []string) {
	t.Helper()
	var document []byte
	var err error
	depth := 3
	switch data := data.(type) {
	case ptrace.Traces:
		document, err = (&ptrace.JSONMarshaler{}).MarshalTraces(data)
	case plog.Logs:
		document, err = (&plog.JSONMarshaler{}).MarshalLogs(data)
	case pmetric.Metrics:
		document, err = (&pmetric.JSONMarshaler{}).MarshalMetrics(data)
		depth = len(levels)
	}
	require.NoError(t, err)
	var whole map[string]any
	require.NoError(t, json.Unmarshal(document, &whole))
	for _, one := range split(whole, levels[:depth]) {
		item, err := json.Marshal(one)
		require.NoError(t, err)
		all = append(all, string(item))
	}
	return all
}

// levels are the keys of what holds items, from the outermost.
var levels = [][]string{
	{"resourceSpans", "resourceLogs", "resourceMetrics"},
	{"scopeSpans", "scopeLogs", "scopeMetrics"},
	{"spans", "logRecords", "metrics"},
	{"gauge", "sum", "histogram", "exponentialHistogram", "summary"},
	{"dataPoints"},
}

// split returns copies of an object, each with one of the items below it.
func split(object map[string]any, levels [][]string) (all []map[string]any) {
	if len(levels) == 0 {
		return []map[string]any{object}
	}
	for _, key := range levels[0] {
		below, ok := object[key].([]any)
		if !ok && object[key] != nil {
			below = []any{object[key]}
		}
		for _, element := range below {
			for _, one := range split(element.(map[string]any), levels[1:]) {
				whole := maps.Clone(object)
				whole[key] = one
				all = append(all, whole)
			}
		}
	}
	return all
}

// RequireSame requires that two multisets of items are equal, and shows what differs.
func RequireSame(t *testing.T, want, got []string) {
	t.Helper()
	require.NotEmpty(t, want)
	missing, more := Subtract(want, got), Subtract(got, want)
	for i := range min(len(missing), 3) {
		t.Logf("missing: %.2000s", missing[i])
	}
	for i := range min(len(more), 3) {
		t.Logf("instead: %.2000s", more[i])
	}
	if len(missing)+len(more) > 0 {
		require.Failf(t, "items differ", "%d of %d did not arrive as they were, and %d of %d were not sent so", len(missing), len(want), len(more), len(got))
	}
}

// Subtract returns the items of a multiset that another one does not have.
func Subtract(all, others []string) (rest []string) {
	count := map[string]int{}
	for _, item := range others {
		count[item]++
	}
	for _, item := range all {
		if count[item] == 0 {
			rest = append(rest, item)
			continue
		}
		count[item]--
	}
	slices.Sort(rest)
	return rest
}

// TracesOf leaves the spans of some resources.
func TracesOf(traces ptrace.Traces, keep func(pcommon.Resource) bool) ptrace.Traces {
	traces.ResourceSpans().RemoveIf(func(resource ptrace.ResourceSpans) bool { return !keep(resource.Resource()) })
	return traces
}

// MetricsOf leaves the metrics of some resources.
func MetricsOf(metrics pmetric.Metrics, keep func(pcommon.Resource) bool) pmetric.Metrics {
	metrics.ResourceMetrics().RemoveIf(func(resource pmetric.ResourceMetrics) bool { return !keep(resource.Resource()) })
	return metrics
}

// LogsOf leaves the log records of some resources.
func LogsOf(logs plog.Logs, keep func(pcommon.Resource) bool) plog.Logs {
	logs.ResourceLogs().RemoveIf(func(resource plog.ResourceLogs) bool { return !keep(resource.Resource()) })
	return logs
}
