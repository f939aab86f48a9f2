// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// textField is a field of telemetry that has a text. Set makes what the field is in, and sets it.
type textField struct {
	name string
	set  func(root reflect.Value, text string)
}

// textFields returns all fields with a text that can be reached from a type of pdata by its methods, so that none of
// a later version is forgotten.
func textFields(t reflect.Type, name string, reach func(root reflect.Value) reflect.Value) []textField {
	switch reflect.Zero(t).Interface().(type) {
	case pcommon.Map:
		return []textField{{name, func(root reflect.Value, text string) { reach(root).Interface().(pcommon.Map).PutStr("note", text) }}}
	case pcommon.Value:
		return []textField{{name, func(root reflect.Value, text string) { reach(root).Interface().(pcommon.Value).SetStr(text) }}}
	}
	var fields []textField
	for i := range t.NumMethod() {
		method := t.Method(i)
		call := func(root reflect.Value, arguments ...reflect.Value) []reflect.Value {
			return reach(root).MethodByName(method.Name).Call(arguments)
		}
		switch kind := method.Type; {
		case kind.NumIn() == 2 && kind.In(1).Kind() == reflect.String && kind.NumOut() == 0:
			fields = append(fields, textField{name + "." + method.Name, func(root reflect.Value, text string) { call(root, reflect.ValueOf(text)) }})
		case kind.NumIn() == 1 && kind.NumOut() == 1 && kind.Out(0).Kind() == reflect.Struct && strings.Contains(kind.Out(0).PkgPath(), "/pdata/"):
			if _, isChoice := t.MethodByName("SetEmpty" + method.Name); isChoice {
				continue // which is made by that method
			}
			fields = append(fields, textFields(kind.Out(0), name+"."+method.Name, func(root reflect.Value) reflect.Value { return call(root)[0] })...)
		}
	}
	return fields
}

// newSignals returns empty batches of each signal, by the values that reflection calls.
func newSignals() (batch, []reflect.Value) {
	b := batch{ptrace.NewTraces(), plog.NewLogs(), pmetric.NewMetrics()}
	return b, []reflect.Value{reflect.ValueOf(b.traces), reflect.ValueOf(b.logs), reflect.ValueOf(b.metrics)}
}

// A secret in every text of telemetry.
func TestEveryTextField(t *testing.T) {
	p := content.New(content.Config{}, nil)
	names := map[string]bool{}
	_, roots := newSignals()
	for i, root := range roots {
		identity := func(root reflect.Value) reflect.Value { return root }
		for _, field := range textFields(root.Type(), root.Type().Name(), identity) {
			names[field.name] = true
			for _, text := range []string{"https://u:S3CR3T@h/x?api_key=S3CR3T", `https:\/\/u:S3CR3T@h\/x`, "https://hooks.slack.com/services/T0/B0/S3CR3T"} {
				b, roots := newSignals()
				field.set(roots[i], text)
				require.Contains(t, b.sent(t), "S3CR3T", field.name)
				once := b.protected(t, p)
				assert.NotContains(t, once, "S3CR3T", field.name)
				assert.Equal(t, once, b.protected(t, p), "twice: %s", field.name)
			}
		}
	}
	const scopeSpans, resourceMetrics = "Traces.ResourceSpans.AppendEmpty.ScopeSpans.AppendEmpty", "Metrics.ResourceMetrics.AppendEmpty"
	for _, name := range []string{
		scopeSpans + ".SetSchemaUrl", scopeSpans + ".Scope.SetVersion", scopeSpans + ".Spans.AppendEmpty.TraceState.FromRaw",
		scopeSpans + ".Spans.AppendEmpty.Status.SetMessage", scopeSpans + ".Spans.AppendEmpty.Links.AppendEmpty.TraceState.FromRaw",
		scopeSpans + ".Spans.AppendEmpty.Events.AppendEmpty.Attributes", resourceMetrics + ".SetSchemaUrl", resourceMetrics + ".Resource.Attributes",
		resourceMetrics + ".ScopeMetrics.AppendEmpty.Metrics.AppendEmpty.SetUnit",
		resourceMetrics + ".ScopeMetrics.AppendEmpty.Metrics.AppendEmpty.SetEmptyHistogram.DataPoints.AppendEmpty.Exemplars.AppendEmpty.FilteredAttributes",
		"Logs.ResourceLogs.AppendEmpty.ScopeLogs.AppendEmpty.LogRecords.AppendEmpty.SetSeverityText",
		"Logs.ResourceLogs.AppendEmpty.ScopeLogs.AppendEmpty.LogRecords.AppendEmpty.Body",
	} {
		assert.True(t, names[name], name)
	}
}

// Trace state is a list of vendors' values, which loses credentials only.
func TestTraceState(t *testing.T) {
	b := newBatch()
	spanOf(b).TraceState().FromRaw("fw529a3039@dt=FfffX;a;b,rojo=00f067aa0ba902b7,token=S3CR3T,ot=th:8;rv:abc")
	b.protected(t, content.New(content.Config{}, nil))
	assert.Equal(t, "fw529a3039@dt=FfffX;a;b,rojo=00f067aa0ba902b7,token=REDACTED,ot=th:8;rv:abc", spanOf(b).TraceState().AsRaw())
}

// Credentials in maps are found by the ends of their paths, wherever a logger puts the map.
func TestCredentialsInMaps(t *testing.T) {
	for _, raw := range testfiles.Cases[map[string]any](t, "testdata/credentials.maps.yaml") {
		for _, wrapped := range []map[string]any{raw, {"log": raw}, {"a": map[string]any{"b": []any{raw}}}} {
			b := newBatch()
			require.NoError(t, spanOf(b).Attributes().FromRaw(wrapped))
			require.NoError(t, recordOf(b).Body().FromRaw(wrapped))
			assert.NotContains(t, b.protected(t, content.New(content.Config{}, nil)), "S3CR3T", "%v", wrapped)
		}
	}
}

// Content that is kept, cut or hashed has no credential, whatever form the text has.
func TestCredentialsInContentOfEveryMode(t *testing.T) {
	for _, text := range testfiles.Cases[string](t, "testdata/credentials.texts.yaml") {
		for _, action := range []content.Action{content.Keep, content.Truncate, content.Hash, content.Redact} {
			p := content.New(content.Config{Default: action}, nil)
			for _, key := range []string{"gen_ai.prompt", "llm.invocation_parameters"} {
				for _, shape := range shapes[:5] {
					b := newBatch()
					shape.set(spanOf(b).Attributes().PutEmpty(key), text)
					once := b.protected(t, p)
					assert.NotContains(t, once, "S3CR3T", "%s as %s, %s", text, shape.name, action)
					assert.Equal(t, once, b.protected(t, p), "twice: %s as %s, %s", text, shape.name, action)
				}
			}
		}
	}
}
