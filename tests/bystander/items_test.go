// SPDX-License-Identifier: Apache-2.0

package bystander

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// items are spans, data points or log records. Each is a whole OTLP document in JSON, with its resource, its
// scope and their schema URLs, so that a difference anywhere shows. Only the order of items is lost.
type items []string

// itemsOf returns the items of telemetry of any signal.
func itemsOf(t *testing.T, data any) (all items) {
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
