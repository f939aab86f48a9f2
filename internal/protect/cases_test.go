// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
)

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
