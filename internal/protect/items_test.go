// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// item is what a span, an event of it and a record have.
type item struct {
	Scope string // of the span
	Span  map[string]any
	Event struct {
		Name       string
		Attributes map[string]any
	}
	Record struct {
		Scope, Name string
		Level       plog.SeverityNumber
		Attributes  map[string]any
		Body        any
	}
}

func (i item) batch(t *testing.T) batch {
	t.Helper()
	b := newBatch()
	b.traces.ResourceSpans().At(0).ScopeSpans().At(0).Scope().SetName(i.Scope)
	b.logs.ResourceLogs().At(0).ScopeLogs().At(0).Scope().SetName(i.Record.Scope)
	event, record := spanOf(b).Events().At(0), recordOf(b)
	event.SetName(i.Event.Name)
	record.SetEventName(i.Record.Name)
	record.SetSeverityNumber(i.Record.Level)
	require.NoError(t, spanOf(b).Attributes().FromRaw(i.Span))
	require.NoError(t, event.Attributes().FromRaw(i.Event.Attributes))
	require.NoError(t, record.Attributes().FromRaw(i.Record.Attributes))
	require.NoError(t, record.Body().FromRaw(i.Record.Body))
	return b
}

// texts returns what a policy may change of an item.
func texts(b batch) map[string]any {
	event, record := spanOf(b).Events().At(0), recordOf(b)
	return map[string]any{
		"span": spanOf(b).Attributes().AsRaw(), "event": event.Attributes().AsRaw(), "event's name": event.Name(),
		"record": record.Attributes().AsRaw(), "body": record.Body().AsRaw(),
	}
}

// What the items of testdata/items.yaml lose, and that a second collector changes nothing.
func TestItems(t *testing.T) {
	for _, c := range testfiles.Cases[struct {
		About string
		Sent  item
		Want  *item // as sent without it
	}](t, "testdata/items.yaml") {
		p, b := content.New(content.Config{Allow: []string{"customer.note"}}, nil), c.Sent.batch(t)
		want := texts(b)
		if c.Want != nil {
			want = texts(c.Want.batch(t))
		}
		once := b.protected(t, p)
		assert.Equal(t, want, texts(b), c.About)
		assert.Equal(t, once, b.protected(t, p), "a second collector: %s", c.About)
	}
}

// Text of people and models leaves under no key, also in one word if the key is that of a field.
func TestKeysOfFreeText(t *testing.T) {
	p := content.New(content.Config{Allow: []string{"customer.note"}}, nil)
	for _, key := range freeKeys {
		b := newBatch()
		b.traces.ResourceSpans().At(0).ScopeSpans().At(0).Scope().SetName("haystack.tracing")
		spanOf(b).Attributes().PutStr(key, secret)
		recordOf(b).Attributes().PutStr("gen_ai.system", "openai")
		recordOf(b).Attributes().PutStr(key, secret)
		sent := b.protected(t, p)
		assert.Equal(t, key == "customer.note", strings.Contains(sent, "S3CR3T"), key)
	}
}

// The names of spans and events have no free text, but for names of code and those of the item's own attributes.
func TestNamesOfModelCalls(t *testing.T) {
	p := content.New(content.Config{}, nil)
	for name, want := range map[string]string{
		"chat gpt-4o": "", "execute_tool search": "", "retrieve docs": "", "invoke_agent Travel Planner of the House": "",
		"com.acme.agents.research.assistant.internal.ToolExecutionCoordinator.executeAll": "",
		"What does the contract with Bob say?":                                            "What", "Answer 請告訴我密碼": "Answer", "請告訴我密碼": content.Redacted, "my,wife,is,very,ill": "my", "invoke_agent " + strings.Repeat("x", 80): "invoke_agent",
	} {
		b := newBatch()
		b.traces.ResourceSpans().At(0).ScopeSpans().At(0).Scope().SetName("crewai.telemetry")
		spanOf(b).SetName(name)
		spanOf(b).Attributes().PutStr("gen_ai.agent.name", "Travel Planner of the House")
		spanOf(b).Events().At(0).SetName(name)
		spanOf(b).Events().At(0).Attributes().PutStr("gen_ai.agent.name", "Travel Planner of the House")
		b.protected(t, p)
		if want == "" {
			want = name
		}
		assert.Equal(t, want, spanOf(b).Name())
		assert.Equal(t, want, spanOf(b).Events().At(0).Name())
	}
}

// What was withheld is counted by key with its length, and never by its text. Plain lines stay.
func TestCountsOfFreeText(t *testing.T) {
	p := content.NewWith(content.Config{}, map[string]content.Service{"agent": {Models: true}}, nil)
	b := newBatch()
	b.logs.ResourceLogs().At(0).Resource().Attributes().PutStr("service.name", "agent")
	recordOf(b).Body().SetStr("The model is ready: prompt='S3CR3T 1' n=1")
	recordOf(b).Attributes().PutStr("state.0.thought", "a S3CR3T")
	recordOf(b).Attributes().PutStr("state.1.thought", "a S3CR3T")
	recordOf(b).Attributes().PutStr("a key: S3CR3T", "a b")
	b.protected(t, p)
	assert.Equal(t, "The model is ready: prompt='[redacted]' n=1", recordOf(b).Body().Str())
	counts := p.Counts()
	assert.Contains(t, counts, content.Count{Service: "agent", Key: "state.*.thought", Action: content.Redact, Count: 2, Bytes: 16, Allow: "state.*.thought"})
	assert.Contains(t, counts, content.Count{Service: "agent", Key: content.OtherKeys, Action: content.Redact, Count: 2, Bytes: 16})
	for _, count := range counts {
		assert.NotContains(t, count.Key, "S3CR3T")
	}
}

// Free text in fields where it does not look like it, of telemetry about calls to models.
func TestUnlikelyFields(t *testing.T) {
	for name, set := range map[string]func(b batch){
		"attribute of the resource": func(b batch) {
			spanOf(b).Attributes().Remove("gen_ai.operation.name")
			b.traces.ResourceSpans().At(0).Resource().Attributes().PutStr("openinference.project.name", "x")
			spanOf(b).Attributes().PutStr("app.note", "my S3CR3T")
		},
		"severity": func(b batch) {
			recordOf(b).Attributes().PutStr("gen_ai.system", "x")
			recordOf(b).SetSeverityText("my S3CR3T")
		},
		"trace state": func(b batch) { spanOf(b).TraceState().FromRaw("v=my S3CR3T,ot=th:8") },
		"unit": func(b batch) {
			m := metricOf(b, 0)
			m.SetName("gen_ai.my S3CR3T is not very well")
			m.SetUnit("{my S3CR3T}")
		},
	} {
		b := newBatch()
		spanOf(b).Attributes().PutStr("gen_ai.operation.name", "chat")
		set(b)
		once := b.protected(t, content.New(content.Config{}, nil))
		assert.NotContains(t, once, "S3CR3T", name)
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
		once := b.protected(t, content.New(content.Config{}, nil))
		assert.NotContains(t, once, "SECRET")
		assert.Equal(t, once, b.protected(t, content.New(content.Config{}, nil)), "a second collector: %v", call)
		for key, value := range want {
			if text, _ := json.Marshal(map[string]any{key: value}); !strings.Contains(string(text), "SECRET") {
				now, _ := spanOf(b).Attributes().Get(key)
				assert.Equal(t, value, now.AsRaw(), "%s: %s", call.Scope, key)
			}
		}
	}
}
