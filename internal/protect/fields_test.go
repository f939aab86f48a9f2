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

// Values that state a fact about a credential, and names of other things, are none.
func TestFactsStay(t *testing.T) {
	p := content.New(content.Config{}, nil)
	want := map[string]any{
		"k8s.serviceaccount.token": "mounted", "session.cookie": "strict", "http.request.header.authorization": "absent", "cookie": "present",
		"next_page_token": "CAUQAA", "token_type": "Bearer x", "password_policy": "at least 12 letters",
		"http.response.header.set-cookie": []any{"absent"},
	}
	b := newBatch()
	require.NoError(t, spanOf(b).Attributes().FromRaw(want))
	b.protected(t, p)
	assert.Equal(t, want, spanOf(b).Attributes().AsRaw())
	require.NoError(t, spanOf(b).Attributes().FromRaw(map[string]any{
		"http.request.header.x-gitlab-token": []any{"S3CR3T"}, "http.request.header.x-registry-auth": "S3CR3T",
		"process.environment_variable.MYSQL_PWD": "S3CR3T", "request_uri": "/x?api_key=S3CR3T", "note": `https:\/\/u:S3CR3T@h\/x`,
		"process.command_args": []any{"curl", "-H", "X-Api-Key: S3CR3T", "-u", "bob:S3CR3T", "-e", "GH_TOKEN=S3CR3T", "--header=Authorization: Bearer S3CR3T"},
	}))
	assert.NotContains(t, b.protected(t, p), "S3CR3T")
}

// Credentials in maps are found by the ends of their paths, wherever a logger puts the map.
func TestCredentialsInMaps(t *testing.T) {
	for _, raw := range []map[string]any{
		{"headers": map[string]any{"auth": "S3CR3T", "X-Honeycomb-Team": []any{"S3CR3T"}}},
		{"request": map[string]any{"cookies": map[string]any{"sid": "S3CR3T"}}},
		{"env": map[string]any{"MYSQL_PWD": "S3CR3T", "REDISCLI_AUTH": "S3CR3T"}},
		{"access_token": []any{"S3CR3T"}, "password": map[string]any{"value": "S3CR3T"}},
		{"config": map[string]any{"url": "https://u:S3CR3T@h/x", "webhook_url": "/api/webhooks/17/S3CR3T"}},
	} {
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
	for _, text := range []string{
		`fetch https://u:S3CR3T@h/x?api_key=S3CR3T please`,
		`{"access_token":["S3CR3T"]}`, `{"password":{"value":"S3CR3T"}}`, `{"pass\u0077ord":"S3CR3T"}`, `{"a":[{"api_key" : "S3CR3T"}]}`,
		`{"headers":{"x-honeycomb-team":"S3CR3T","Authorization":"Bearer S3CR3T"}}`, `{"env":{"MYSQL_PWD":"S3CR3T","GH_TOKEN":"S3CR3T"}}`,
		`{'api_key': 'S3CR3T', 'x': 1}`, `Config(api_key='S3CR3T', x=1)`, `{"j":"{\"password\":\"S3CR3T\"}"}`, `{"u":"https:\/\/u:S3CR3T@h\/x"}`,
		`{"hook":"https:\/\/hooks.slack.com\/services\/T0\/B0\/S3CR3T"}`, `client_secret=S3CR3T&a=b`, `{"headers":{"x-registry-auth":"S3CR3T"}}`,
		`curl -u bob:S3CR3T https://h`, "a: 1\npassword: S3CR3T\nb: 2", "[db]\npassword = S3CR3T", `app --db-password S3CR3T`,
	} {
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
