// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
)

// Text of people and models leaves under no key, also in one word if the key is that of a field, and harmless values
// stay under the same keys.
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
	harmless := map[string]any{
		"gen_ai.completion.0.finish_reason": "MAX_TOKENS", "gen_ai.prompt.version": "3", "gen_ai.prompt.0.role": "chatbot", "llm.tools.0.tool.name": "search",
		"llm.output_messages.0.message.tool_calls.0.tool_call.id": "call_1", "retrieval.documents.0.document.score": "0.8", "usage.prompt": "12",
		"k8s.serviceaccount.token": "mounted", "session.cookie": "strict", "http.request.header.authorization": "absent",
		"gen_ai.agent.name": "Travel Planner of the House", "gen_ai.tool.description": "Finds a flight.", "server.address": "api.openai.com",
		"os.description": "Debian GNU/Linux 12", "any.id": "0d6b2c1e-9c0a-4c7e-8a53-5d1f0c2b7a44", "temperature": 0.2, "tokens.total": int64(5), "stream": true,
		"tags": []any{"a-1", "b"}, "url.full": "https://h/x?a=b", "model": "meta-llama/Llama-3.1-8B-Instruct", "customer.note": "it is fine",
	}
	b := newBatch()
	b.traces.ResourceSpans().At(0).ScopeSpans().At(0).Scope().SetName("openinference.instrumentation.openai")
	require.NoError(t, spanOf(b).Attributes().FromRaw(harmless))
	b.protected(t, p)
	assert.Equal(t, harmless, spanOf(b).Attributes().AsRaw())
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
