// SPDX-License-Identifier: Apache-2.0

package tcgen

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
)

// telemetry is all of the three signals, item by item.
type telemetry struct{ spans, metrics, logs []Item }

// only returns what some services sent.
func (t telemetry) only(services []string) telemetry {
	filter := func(items []Item) []Item {
		return slices.DeleteFunc(slices.Clone(items), func(i Item) bool {
			return !slices.Contains(services, i.resource("service.name"))
		})
	}
	return telemetry{filter(t.spans), filter(t.metrics), filter(t.logs)}
}

// scrapedFrom returns the metrics of a scrape target.
func (t telemetry) scrapedFrom(target string) []Item {
	return slices.DeleteFunc(slices.Clone(t.metrics), func(i Item) bool {
		return target == "" || i.resource("service.instance.id") != target
	})
}

// Item is a span, a metric or a log record in OTLP's JSON form, with its resource
// and scope. As JSON every field counts, also one that no test has heard of.
type Item map[string]any

// SpanItems returns all spans.
func SpanItems(t *testing.T, traces ptrace.Traces) []Item {
	t.Helper()
	document, err := (&ptrace.JSONMarshaler{}).MarshalTraces(traces)
	require.NoError(t, err)
	return items(t, document, "Spans", "spans")
}

// MetricItems returns all metrics.
func MetricItems(t *testing.T, metrics pmetric.Metrics) []Item {
	t.Helper()
	document, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(metrics)
	require.NoError(t, err)
	return items(t, document, "Metrics", "metrics")
}

// LogItems returns all log records.
func LogItems(t *testing.T, logs plog.Logs) []Item {
	t.Helper()
	document, err := (&plog.JSONMarshaler{}).MarshalLogs(logs)
	require.NoError(t, err)
	return items(t, document, "Logs", "logRecords")
}

func items(t *testing.T, document []byte, signal, leaf string) []Item {
	t.Helper()
	var root map[string]any
	require.NoError(t, json.Unmarshal(document, &root))
	var all []Item
	for _, resource := range objects(root["resource"+signal]) {
		for _, scope := range objects(resource["scope"+signal]) {
			for _, i := range objects(scope[leaf]) {
				i["resource"], i["scope"] = resource["resource"], scope["scope"]
				all = append(all, i)
			}
		}
	}
	return all
}

// objects returns the elements of a list of objects; a list that is left out has none.
func objects(list any) []map[string]any {
	elements, _ := list.([]any)
	var all []map[string]any
	for _, e := range elements {
		all = append(all, e.(map[string]any))
	}
	return all
}

// attribute returns a value of an attribute list, as a string attribute holds it.
func attribute(attributes any, key string) string {
	for _, a := range objects(attributes) {
		if a["key"] == key {
			text, _ := a["value"].(map[string]any)["stringValue"].(string)
			return text
		}
	}
	return ""
}

func (i Item) text(field string) string {
	text, _ := i[field].(string)
	return text
}

// resource returns a string attribute of the item's resource.
func (i Item) resource(key string) string {
	resource, _ := i["resource"].(map[string]any)
	return attribute(resource["attributes"], key)
}

// original returns the name that the item came in with.
func (i Item) original() string {
	for _, field := range []string{"attributes", "metadata"} {
		if name := attribute(i[field], OriginalNameKey); name != "" {
			return name
		}
	}
	return i.text("name")
}

// CheckKept compares log records by all but keys.
func CheckKept(t *testing.T, sent, got []Item) {
	t.Helper()
	assert.Empty(t, cmp.Diff(lines(t, sent...), lines(t, got...)), "-sent +received")
}

// CheckSpansKept compares spans by all but names and keys. A span may have got
// attributes in addition, with values that were in its name.
func CheckSpansKept(t *testing.T, sent, got []Item) {
	t.Helper()
	received := map[string]Item{}
	for _, s := range got {
		received[s.text("traceId")+s.text("spanId")] = s
	}
	require.NotEmpty(t, sent)
	require.Len(t, got, len(sent))
	require.Len(t, received, len(sent), "distinct spans")
	for _, s := range sent {
		r, ok := received[s.text("traceId")+s.text("spanId")]
		require.True(t, ok, "lost: %v", s)
		checkAttributesKept(t, s, r)
		rest := r.without("attributes")
		rest["name"] = r.original()
		assert.Equal(t, lines(t, s.without("attributes")), lines(t, rest))
	}
}

// checkAttributesKept compares the attributes of one span by value.
func checkAttributesKept(t *testing.T, sent, got Item) {
	t.Helper()
	added := attributeValues(t, got["attributes"])
	for _, value := range attributeValues(t, sent["attributes"]) {
		i := slices.Index(added, value)
		require.GreaterOrEqual(t, i, 0, "value %s of %s is lost", value, sent.text("name"))
		added = slices.Delete(added, i, i+1)
	}
	for _, encoded := range added {
		var value struct{ StringValue string }
		require.NoError(t, json.Unmarshal([]byte(encoded), &value))
		assert.NotEmpty(t, value.StringValue, "%s was added to %s", encoded, sent.text("name"))
		assert.Contains(t, sent.text("name"), value.StringValue, "value added")
	}
}

// attributeValues returns the values of an attribute list, sorted, but no name
// that is kept there.
func attributeValues(t *testing.T, attributes any) []string {
	t.Helper()
	var values []string
	for _, a := range objects(attributes) {
		if a["key"] == OriginalNameKey {
			continue
		}
		encoded, err := json.Marshal(typed(a))
		require.NoError(t, err)
		values = append(values, string(encoded))
	}
	slices.Sort(values)
	return values
}

// lines writes items one per line, sorted, so that lines are equal where nothing but names and keys differs.
func lines(t *testing.T, items ...Item) []string {
	t.Helper()
	var all []string
	for _, i := range items {
		line := i.without()
		line["name"] = i.original()
		encoded, err := json.Marshal(keyless(t, line))
		require.NoError(t, err)
		all = append(all, string(encoded))
	}
	slices.Sort(all)
	return all
}

func (i Item) without(fields ...string) Item {
	rest := maps.Clone(i)
	for _, field := range fields {
		delete(rest, field)
	}
	return rest
}

// keyless returns a copy of a JSON value with the values of each attribute list in
// place of the list.
func keyless(t *testing.T, value any) any {
	t.Helper()
	switch v := value.(type) {
	case Item:
		return keyless(t, map[string]any(v))
	case map[string]any:
		object := map[string]any{}
		for field, child := range v {
			if field == "attributes" {
				object[field] = attributeValues(t, child)
			} else {
				object[field] = keyless(t, child)
			}
		}
		return object
	case []any:
		var list []any
		for _, child := range v {
			list = append(list, keyless(t, child))
		}
		return list
	default:
		return value
	}
}

// WithoutDerived returns a copy of spans as they were before the collector linked them.
func WithoutDerived(traces ptrace.Traces) ptrace.Traces {
	plain := ptrace.NewTraces()
	traces.CopyTo(plain)
	for span := range collectortest.SpansOf(plain) {
		span.Links().RemoveIf(func(link ptrace.SpanLink) bool { return judge.LinkRule(link) != "" })
	}
	return plain
}
