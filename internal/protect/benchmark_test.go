// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
)

// modelCall adds the attributes of a call to a model, with 4 KiB of content.
func modelCall(span ptrace.Span) {
	span.SetName("chat gpt-4o")
	attrs := span.Attributes()
	attrs.EnsureCapacity(40)
	for key, value := range map[string]string{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-4o", "gen_ai.response.model": "gpt-4o-2024-11-20",
		"gen_ai.response.id": "chatcmpl-0d6b2c1e9c0a4c7e8a535d1f0c2b7a44", "gen_ai.conversation.id": "conv_5j66UpCpwteGg4YSxUnt7lPY",
		"openinference.span.kind": "LLM", "llm.system": "openai", "server.address": "api.openai.com", "session.id": "0d6b2c1e-9c0a-4c7e-8a53-5d1f0c2b7a44",
		"llm.input_messages.0.message.role": "user", "llm.output_messages.0.message.role": "assistant", "input.mime_type": "application/json",
	} {
		attrs.PutStr(key, value)
	}
	attrs.PutEmptySlice("gen_ai.response.finish_reasons").AppendEmpty().SetStr("stop")
	for _, key := range []string{"gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "llm.token_count.prompt", "llm.token_count.completion", "server.port"} {
		attrs.PutInt(key, 120)
	}
	text := `[{"role":"user","content":"` + strings.Repeat("Tell me about the harbour. ", 36) + `"}]`
	for _, key := range []string{"input.value", "output.value", "llm.input_messages.0.message.content", "llm.output_messages.0.message.content"} {
		attrs.PutStr(key, text)
	}
}

// BenchmarkModelCalls decodes, protects and encodes spans of an instrumentation of models.
func BenchmarkModelCalls(b *testing.B) {
	td := ptrace.NewTraces()
	ss := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	ss.Scope().SetName("openinference.instrumentation.openai")
	for range 100 {
		modelCall(ss.Spans().AppendEmpty())
	}
	sent, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(b, err)
	walk := New(content.New(content.Config{}, nil), func(*content.Rule, content.Action, int64) {})
	for b.Loop() {
		batch, _ := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(sent)
		walk.Traces(batch)
		_, _ = (&ptrace.ProtoMarshaler{}).MarshalTraces(batch)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/span")
}
