// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Parts have all items in order, each with its resource, scope and metric. No part is too large, unless it is one
// item.
func TestParts(t *testing.T) {
	for seed := range uint64(200) {
		r := random{rand.New(rand.NewPCG(seed, 0))}
		item := func() object { return object{"attributes": r.attributes()} }
		testParts(t, r, traces, r.batch("Spans", "spans", item), (&ptrace.JSONUnmarshaler{}).UnmarshalTraces, (&ptrace.JSONMarshaler{}).MarshalTraces)
		testParts(t, r, metrics, r.batch("Metrics", "metrics", r.metric), (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics, (&pmetric.JSONMarshaler{}).MarshalMetrics)
		testParts(t, r, logs, r.batch("Logs", "logRecords", item), (&plog.JSONUnmarshaler{}).UnmarshalLogs, (&plog.JSONMarshaler{}).MarshalLogs)
	}
}

type markable[T any] interface {
	data[T]
	MarkReadOnly()
}

func testParts[T markable[T]](t *testing.T, r random, of signal[T], document object, read func([]byte) (T, error), write func(T) ([]byte, error)) {
	t.Helper()
	encoded, err := json.Marshal(document)
	require.NoError(t, err)
	batch, err := read(encoded)
	require.NoError(t, err)
	texts := func(batch T) []string {
		encoded, err := write(batch)
		require.NoError(t, err)
		var document object
		require.NoError(t, json.Unmarshal(encoded, &document))
		return itemsOf(document)
	}
	want, most := texts(batch), 1+r.IntN(of.size(batch)+10)
	require.Len(t, want, of.items(batch))
	if r.IntN(2) == 0 {
		batch.MarkReadOnly() // a change would panic
	}
	var got []string
	parts := of.split(batch, most)
	for _, part := range parts {
		items := of.items(part)
		if items > 1 {
			require.LessOrEqual(t, of.size(part), most)
		}
		if len(want) > 0 {
			require.Positive(t, items)
		}
		got = append(got, texts(part)...)
	}
	require.Equal(t, want, got)
	if r.IntN(2) == 0 {
		parts[0].MarkReadOnly()
	}
	require.Equal(t, want, texts(of.merge(parts)))
}

// What has no items is not lost from a batch that is cut.
func TestEmptyMetricsStay(t *testing.T) {
	md := pmetric.NewMetrics()
	for i := range 3 {
		all := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
		all.AppendEmpty().SetName(fmt.Sprintf("empty %d", i))
		m := all.AppendEmpty()
		m.SetName(fmt.Sprintf("points %d", i))
		for range 4 {
			m.SetEmptyGauge().DataPoints().AppendEmpty()
		}
	}
	var names []string
	for _, part := range metrics.split(md, 30) {
		names = append(names, namesOf(part)...)
	}
	assert.Subset(t, names, []string{"empty 0", "empty 1", "empty 2"})
}

// object is one of OTLP in JSON.
type object = map[string]any

// random makes batches.
type random struct{ *rand.Rand }

func (r random) name(kind string) string { return fmt.Sprint(kind, r.IntN(9)) }

func (r random) some(most int, one func() object) []object {
	all := make([]object, r.IntN(most))
	for i := range all {
		all[i] = one()
	}
	return all
}

func (r random) attributes() (all []object) {
	for i := range 1 + r.IntN(4) {
		all = append(all, object{"key": fmt.Sprint("key", i), "value": object{"stringValue": strings.Repeat("x", r.IntN(30))}})
	}
	return all
}

// batch returns resources with scopes with items.
func (r random) batch(signal, items string, item func() object) object {
	scope := func() object {
		return object{"scope": object{"name": r.name("scope")}, "schemaUrl": r.name("schema"), items: r.some(6, item)}
	}
	return object{"resource" + signal: r.some(4, func() object {
		return object{"resource": object{"attributes": r.attributes()}, "schemaUrl": r.name("schema"), "scope" + signal: r.some(4, scope)}
	})}
}

// kinds are the keys that have the points of a metric.
var kinds = []string{"gauge", "sum", "histogram", "exponentialHistogram", "summary"}

// metric returns one of a type, or without.
func (r random) metric() object {
	m := object{"name": r.name("name"), "unit": r.name("unit"), "description": "what it is", "metadata": r.attributes()}
	if kind := r.IntN(len(kinds) + 1); kind < len(kinds) {
		data := object{"dataPoints": r.some(6, func() object { return object{"attributes": r.attributes()} })}
		if 0 < kind && kind < 4 {
			data["aggregationTemporality"] = r.IntN(3)
		}
		if kind == 1 {
			data["isMonotonic"] = r.IntN(2) == 0
		}
		m[kinds[kind]] = data
	}
	return m
}

// itemsOf describes each item of a batch by its resource and scope, and each point by its metric without other points.
func itemsOf(batch object) (all []string) {
	for _, resource := range objects(batch, "resourceSpans", "resourceMetrics", "resourceLogs") {
		for _, scope := range objects(resource, "scopeSpans", "scopeMetrics", "scopeLogs") {
			add := func(item object) {
				text, _ := json.Marshal([]any{resource["resource"], resource["schemaUrl"], scope["scope"], scope["schemaUrl"], item})
				all = append(all, string(text))
			}
			for _, item := range objects(scope, "spans", "logRecords") {
				add(item)
			}
			for _, metric := range objects(scope, "metrics") {
				for _, kind := range kinds {
					data, _ := metric[kind].(object)
					for _, point := range objects(data, "dataPoints") {
						one, alone := maps.Clone(metric), maps.Clone(data)
						alone["dataPoints"], one[kind] = point, alone
						add(one)
					}
				}
			}
		}
	}
	return all
}

// objects returns those of the lists with these keys.
func objects(of object, keys ...string) (all []object) {
	for _, key := range keys {
		list, _ := of[key].([]any)
		for _, one := range list {
			all = append(all, one.(object))
		}
	}
	return all
}
