// SPDX-License-Identifier: Apache-2.0

package bystander

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
)

// items are spans, data points or log records. Each is a whole OTLP document in JSON, with its resource, its
// scope and their schema URLs, so that a difference anywhere shows. Only the order of items is lost.
type items []string

func spanItems(t *testing.T, traces ptrace.Traces) (all items) {
	t.Helper()
	for _, resource := range traces.ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				one := ptrace.NewTraces()
				r := one.ResourceSpans().AppendEmpty()
				resource.Resource().CopyTo(r.Resource())
				r.SetSchemaUrl(resource.SchemaUrl())
				s := r.ScopeSpans().AppendEmpty()
				scope.Scope().CopyTo(s.Scope())
				s.SetSchemaUrl(scope.SchemaUrl())
				span.CopyTo(s.Spans().AppendEmpty())
				document, err := (&ptrace.JSONMarshaler{}).MarshalTraces(one)
				require.NoError(t, err)
				all = append(all, string(document))
			}
		}
	}
	return all
}

func recordItems(t *testing.T, logs plog.Logs) (all items) {
	t.Helper()
	for _, resource := range logs.ResourceLogs().All() {
		for _, scope := range resource.ScopeLogs().All() {
			for _, record := range scope.LogRecords().All() {
				one := plog.NewLogs()
				r := one.ResourceLogs().AppendEmpty()
				resource.Resource().CopyTo(r.Resource())
				r.SetSchemaUrl(resource.SchemaUrl())
				s := r.ScopeLogs().AppendEmpty()
				scope.Scope().CopyTo(s.Scope())
				s.SetSchemaUrl(scope.SchemaUrl())
				record.CopyTo(s.LogRecords().AppendEmpty())
				document, err := (&plog.JSONMarshaler{}).MarshalLogs(one)
				require.NoError(t, err)
				all = append(all, string(document))
			}
		}
	}
	return all
}

// pointItems returns one item for each data point, with its metric.
func pointItems(t *testing.T, metrics pmetric.Metrics) (all items) {
	t.Helper()
	for _, resource := range metrics.ResourceMetrics().All() {
		for _, scope := range resource.ScopeMetrics().All() {
			for _, metric := range scope.Metrics().All() {
				for i := range datapoints.Count(metric) {
					one := pmetric.NewMetrics()
					r := one.ResourceMetrics().AppendEmpty()
					resource.Resource().CopyTo(r.Resource())
					r.SetSchemaUrl(resource.SchemaUrl())
					s := r.ScopeMetrics().AppendEmpty()
					scope.Scope().CopyTo(s.Scope())
					s.SetSchemaUrl(scope.SchemaUrl())
					m := s.Metrics().AppendEmpty()
					metric.CopyTo(m)
					keepPoint(m, i)
					document, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(one)
					require.NoError(t, err)
					all = append(all, string(document))
				}
			}
		}
	}
	return all
}

// keepPoint removes all points of a metric but one.
func keepPoint(metric pmetric.Metric, kept int) {
	i := -1
	datapoints.RemoveIf(metric, func(pcommon.Map) bool { i++; return i != kept })
}

// requireSame requires that two multisets of items are equal, and shows what differs.
func requireSame(t *testing.T, want, got items) {
	t.Helper()
	require.NotEmpty(t, want)
	missing, more := subtract(want, got), subtract(got, want)
	for i := range min(len(missing), 3) {
		t.Logf("missing: %s", missing[i])
	}
	for i := range min(len(more), 3) {
		t.Logf("instead: %s", more[i])
	}
	if len(missing)+len(more) > 0 {
		assert.Failf(t, "items differ", "%d of %d did not arrive as they were, and %d of %d were not sent so", len(missing), len(want), len(more), len(got))
	}
}

// subtract returns the items of a multiset that another one does not have.
func subtract(all, others items) (rest items) {
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

// ofService returns the value of service.name.
func ofService(resource pcommon.Resource) string { return text(resource, "service.name") }

// ofInstance returns the value of service.instance.id, which is host:port of a page.
func ofInstance(resource pcommon.Resource) string { return text(resource, "service.instance.id") }

func text(resource pcommon.Resource, key string) string {
	value, ok := resource.Attributes().Get(key)
	if !ok {
		return ""
	}
	return value.AsString()
}
