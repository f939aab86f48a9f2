// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// Free text in places where it does not look like it, of telemetry about calls to models.
func TestUnlikelyPlaces(t *testing.T) {
	for name, set := range map[string]func(b batch, attrs pcommon.Map){
		"arguments": func(_ batch, attrs pcommon.Map) {
			attrs.PutEmptySlice("process.command_args").FromRaw([]any{"claude", "-p", "my S3CR3T"}) //nolint:errcheck // texts
		},
		"arguments in a text": func(_ batch, attrs pcommon.Map) { attrs.PutStr("process.command_args", "claude -p my S3CR3T") },
		"attribute of the resource": func(b batch, attrs pcommon.Map) {
			attrs.Remove("gen_ai.operation.name")
			b.traces.ResourceSpans().At(0).Resource().Attributes().PutStr("openinference.project.name", "x")
			attrs.PutStr("app.note", "my S3CR3T")
		},
		"template of a chat": func(_ batch, attrs pcommon.Map) {
			attrs.PutStr("exception.message", "too long: <|begin_of_sentence|>User: my S3CR3T")
		},
		"command line": func(_ batch, attrs pcommon.Map) { attrs.PutStr("process.command_line", "claude -p my S3CR3T") },
		"words": func(_ batch, attrs pcommon.Map) {
			attrs.PutEmptySlice("app.note").FromRaw([]any{"The", "SECRET", "is", "not", "known"}) //nolint:errcheck // texts
		},
		"entities":                    func(_ batch, attrs pcommon.Map) { attrs.PutStr("app.note", "I&nbsp;have&nbsp;S3CR3T") },
		"quoted printable":            func(_ batch, attrs pcommon.Map) { attrs.PutStr("app.note", "I=20have=20S3CR3T") },
		"type":                        func(_ batch, attrs pcommon.Map) { attrs.PutStr("error.type", "my S3CR3T") },
		"model":                       func(_ batch, attrs pcommon.Map) { attrs.PutStr("gen_ai.response.model", "my S3CR3T") },
		"name of an event":            func(_ batch, attrs pcommon.Map) { attrs.PutStr("event.name", "my S3CR3T") },
		"name of an event of LiteLLM": func(_ batch, attrs pcommon.Map) { attrs.PutStr("event_name", "my S3CR3T") },
		"severity": func(b batch, _ pcommon.Map) {
			recordOf(b).Attributes().PutStr("gen_ai.system", "x")
			recordOf(b).SetSeverityText("my S3CR3T")
		},
		"line of a record of a call": func(b batch, _ pcommon.Map) {
			recordOf(b).Attributes().PutStr("gen_ai.operation.name", "chat")
			recordOf(b).Attributes().PutStr("message", "my S3CR3T")
			recordOf(b).Body().SetStr("my S3CR3T")
		},
		"key": func(_ batch, attrs pcommon.Map) {
			attrs.PutInt("my S3CR3T", 7)
			attrs.PutEmptyMap("app.scores").PutBool("my%20S3CR3T", true)
			attrs.PutEmptyMap("app.votes").PutEmptyMap("my S3CR3T").PutStr("note", "my S3CR3T")
		},
		"original name": func(_ batch, attrs pcommon.Map) {
			attrs.PutStr("tc.original_name", "Decode Server Req my S3CR3T is ill")
		},
		"name of a trace": func(_ batch, attrs pcommon.Map) {
			attrs.PutStr("langfuse.trace.name", "請告訴我請告訴我S3CR3T")
		},
		"id":          func(_ batch, attrs pcommon.Map) { attrs.PutStr("gen_ai.conversation.id", "請告訴我S3CR3T") },
		"trace state": func(b batch, _ pcommon.Map) { spanOf(b).TraceState().FromRaw("v=my S3CR3T,ot=th:8") },
		"scope": func(b batch, _ pcommon.Map) {
			b.traces.ResourceSpans().At(0).ScopeSpans().At(0).Scope().SetName("what is it that S3CR3T has")
		},
		"unit": func(b batch, _ pcommon.Map) {
			m := b.metrics.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0)
			m.SetName("gen_ai.my S3CR3T is not very well")
			m.SetUnit("{my S3CR3T}")
		},
		"form of credential": func(_ batch, attrs pcommon.Map) { attrs.PutStr("app.ref", "tvly-S3CR3T0123456789") },
	} {
		b := newBatch()
		attrs := spanOf(b).Attributes()
		attrs.PutStr("gen_ai.operation.name", "chat")
		set(b, attrs)
		once := b.protected(t, content.New(content.Config{}, nil))
		assert.NotRegexp(t, "S3CR3T|SECRET", once, name)
		assert.Equal(t, once, b.protected(t, content.New(content.Config{}, nil)), "a second collector: %s", name)
	}
}

// Attributes of testdata/calls.yaml lose the texts with SECRET, and nothing else.
func TestAttributesOfCalls(t *testing.T) {
	for _, call := range testfiles.Cases[struct {
		Scope      string
		Attributes map[string]any
	}](t, "testdata/calls.yaml") {
		b := newBatch()
		b.traces.ResourceSpans().At(0).ScopeSpans().At(0).Scope().SetName(call.Scope)
		require.NoError(t, spanOf(b).Attributes().FromRaw(call.Attributes))
		want := spanOf(b).Attributes().AsRaw()
		assert.NotContains(t, b.protected(t, content.New(content.Config{}, nil)), "SECRET")
		for key, value := range want {
			if text, _ := json.Marshal(value); !strings.Contains(string(text), "SECRET") {
				now, _ := spanOf(b).Attributes().Get(key)
				assert.Equal(t, value, now.AsRaw(), "%s: %s", call.Scope, key)
			}
		}
	}
}
