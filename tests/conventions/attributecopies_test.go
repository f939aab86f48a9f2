// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

const copyingPack = `system: assistant
owns: {resource: {service.name: ["assistant*"]}}
attributes:
  - {key: ask.tokens, also: {key: gen_ai.usage.input_tokens, type: int}}
  - {key: ask.kind, also: {key: gen_ai.operation.name, values: {LLM: chat}}}
  - {key: ask.options, also_fields: {temperature: {key: gen_ai.request.temperature, type: double}}}
  - {key: ask.question, also: {key: gen_ai.input.messages}}
messages:
  - {from: ask.talk, to: gen_ai.output.messages, form: openllmetry}
`

// TestAttributeCopies checks, through builtin:dev, what services get whose copies are kept, whose originals are removed, whose
// content is kept, and which are audited.
func TestAttributeCopies(t *testing.T) {
	pack := collectortest.WriteFile(t, "assistant.yaml", copyingPack)
	c := collectortest.Start(t, collectortest.Options{
		Configs: []string{"builtin:dev", overlay(t, fmt.Sprintf(`
extensions:
  conventions:
    packs: [%s, builtin]
    services:
      assistant-removes: {copied_attributes: remove}
      assistant-keeps: {content: keep}
      assistant-audited: {mode: audit}
service:
  extensions: %s
`, pack, extensions))},
	})
	services := []string{"assistant", "assistant-removes", "assistant-keeps", "assistant-audited", "other"}
	td := ptrace.NewTraces()
	for i, service := range services {
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", service)
		span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		span.SetTraceID(pcommon.TraceID{2, byte(i)})
		span.SetSpanID(pcommon.SpanID{2, byte(i)})
		span.SetName("Assistant/Ask")
		span.SetStartTimestamp(pcommon.NewTimestampFromTime(time.Now()))
		span.SetEndTimestamp(span.StartTimestamp())
		require.NoError(t, span.Attributes().FromRaw(asked()))
	}
	collectortest.PostTraces(t, c, td)
	traces := collectortest.AwaitSpans(t, c, len(services))
	got := map[string]map[string]any{}
	for resource, span := range collectortest.SpansByResource(traces) {
		service := collectortest.ServiceName(resource)
		got[service] = span.Attributes().AsRaw()
		for key := range got[service] {
			if strings.HasPrefix(key, "tc.content.length.") {
				delete(got[service], key)
			}
		}
	}

	assert.Equal(t, asked(), got["other"])
	assert.Equal(t, asked(), got["assistant-audited"])
	const talk = `[{"role":"assistant","parts":[{"type":"text","content":"S3CR3T answer"}],"finish_reason":"stop"}]`
	copies := map[string]any{"gen_ai.usage.input_tokens": int64(12), "gen_ai.operation.name": "chat", "gen_ai.request.temperature": 0.5}
	assert.Equal(t, with(asked(), copies, map[string]any{
		"ask.question": "S3CR3T question", "gen_ai.input.messages": "S3CR3T question", "gen_ai.output.messages": talk,
	}), got["assistant-keeps"])
	redacted := map[string]any{
		"ask.question": "[redacted]", "gen_ai.input.messages": "[redacted]", "ask.talk.0.role": "[redacted]", "ask.talk.0.content": "[redacted]", "ask.talk.0.finish_reason": "[redacted]",
		"ask.options": "[redacted]", // a text of another form than an identifier
	}
	assert.Equal(t, with(asked(), copies, redacted), got["assistant"])
	delete(redacted, "ask.question")
	assert.Equal(t, with(copies, redacted), got["assistant-removes"])

	changes := c.SelfMetrics(t)["otelcol_naming_changes"]
	assert.GreaterOrEqual(t, collectortest.Sum(changes, map[string]string{"rule": "attribute_copy", "system": "assistant"}), 17.0)
}

// asked returns the attributes of a question.
func asked() map[string]any {
	return map[string]any{
		"ask.tokens": "12", "ask.kind": "llm", "ask.options": `{"temperature": 0.5}`, "ask.question": "S3CR3T question",
		"ask.talk.0.role": "assistant", "ask.talk.0.content": "S3CR3T answer", "ask.talk.0.finish_reason": "stop",
	}
}

// with returns the entries of several maps. Later ones replace earlier ones.
func with(maps ...map[string]any) map[string]any {
	all := map[string]any{}
	for _, m := range maps {
		for key, value := range m {
			all[key] = value
		}
	}
	return all
}
