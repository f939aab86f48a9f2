// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// copyingPack has a rule of each kind.
const copyingPack = `system: genai
owns: {resource: {service.name: ["genai*"]}}
names: keep
attributes:
  - {key: llm.token_count.prompt, also: {key: gen_ai.usage.input_tokens, type: int}}
  - {key: llm.usage.prompt_tokens, also: {key: gen_ai.usage.input_tokens, type: int}}
  - key: openinference.span.kind
    also: {key: gen_ai.operation.name, values: {LLM: chat, EMBEDDING: embeddings}}
  - {key: llm.provider, also: {key: gen_ai.provider.name, values: {azure: azure.ai.openai, "*": "{}"}}}
  - {key: llm.response.finish_reason, also: {key: gen_ai.response.finish_reasons, type: "string[]", values: {tool_calls: tool_call, "*": "{}"}}}
  - key: options
    also_fields:
      temperature: {key: gen_ai.request.temperature, type: double}
      max_completion_tokens: {key: gen_ai.request.max_tokens, type: int}
      max_tokens: {key: gen_ai.request.max_tokens, type: int}
      stop: {key: gen_ai.request.stop_sequences, type: "string[]"}
      meta: {key: gen_ai.meta}
  - {key: session.id, also: {key: gen_ai.conversation.id, with: openinference.span.kind}}
  - {key: TcModel, rename: tc.model, also: [{key: gen_ai.request.model}, {key: gen_ai.response.model}]}
  - {key: my_question, also: {key: gen_ai.prompt}}
  - {key: my_badge, also: {key: shop.password}}
  - {key: llm.input_messages, also: {key: gen_ai.input.messages}}
  - {key: gen_ai.request.choice.count, allowed: ["1", "2"]}
  - {key: n, also: {key: gen_ai.request.choice.count}}
messages:
  - {from: llm.input_messages, to: gen_ai.input.messages, form: openinference}
  - {from: gen_ai.completion, to: gen_ai.output.messages, form: openllmetry}
  - {from: my_messages, to: gen_ai.output.messages, form: openllmetry}
`

func copyingHost(t testing.TB, settings string) component.Host {
	t.Helper()
	pack := filepath.Join(t.TempDir(), "genai.yaml")
	require.NoError(t, os.WriteFile(pack, []byte(copyingPack), 0o600))
	return hostWith(t, "packs: ["+pack+"]\n"+settings)
}

// spanWith returns a span with attributes in the order of the pairs.
func spanWith(t testing.TB, service string, pairs ...any) ptrace.Traces {
	t.Helper()
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", service)
	span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetName("Llm/Chat")
	for i := 0; i < len(pairs); i += 2 {
		require.NoError(t, span.Attributes().PutEmpty(pairs[i].(string)).FromRaw(pairs[i+1]))
	}
	return td
}

func attributesOf(td ptrace.Traces) map[string]any {
	return td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().AsRaw()
}

// added returns what comes out and did not go in.
func added(before, after map[string]any) map[string]any {
	more := map[string]any{}
	for key, value := range after {
		if _, ok := before[key]; !ok {
			more[key] = value
		}
	}
	return more
}

func TestAttributeCopies(t *testing.T) {
	host := copyingHost(t, "")
	for _, test := range []struct {
		name       string
		in         []any
		want       map[string]any
		violations int64
	}{
		{"int", []any{"llm.token_count.prompt", 12}, map[string]any{"gen_ai.usage.input_tokens": int64(12)}, 0},
		{"text to int", []any{"llm.token_count.prompt", "12"}, map[string]any{"gen_ai.usage.input_tokens": int64(12)}, 0},
		{"double to int", []any{"llm.token_count.prompt", 12.0}, map[string]any{"gen_ai.usage.input_tokens": int64(12)}, 0},
		{"fraction", []any{"llm.token_count.prompt", 12.5}, map[string]any{}, 1},
		{"no number", []any{"llm.token_count.prompt", "twelve"}, map[string]any{}, 1},
		{"empty text", []any{"llm.token_count.prompt", ""}, map[string]any{}, 0},
		{"first rule", []any{"llm.usage.prompt_tokens", 2, "llm.token_count.prompt", 1}, map[string]any{"gen_ai.usage.input_tokens": int64(1)}, 0},
		{"first rule that can", []any{"llm.usage.prompt_tokens", 2, "llm.token_count.prompt", "x"}, map[string]any{"gen_ai.usage.input_tokens": int64(2)}, 1},
		{"existing", []any{"llm.token_count.prompt", 12, "gen_ai.usage.input_tokens", 3}, map[string]any{}, 0},
		{"listed", []any{"openinference.span.kind", "Llm"}, map[string]any{"gen_ai.operation.name": "chat"}, 0},
		{"not listed", []any{"openinference.span.kind", "GUARDRAIL"}, map[string]any{}, 0},
		{"other", []any{"llm.provider", "OpenAI"}, map[string]any{"gen_ai.provider.name": "openai"}, 0},
		{"listed before other", []any{"llm.provider", "Azure"}, map[string]any{"gen_ai.provider.name": "azure.ai.openai"}, 0},
		{"list of one", []any{"llm.response.finish_reason", "STOP"}, map[string]any{"gen_ai.response.finish_reasons": []any{"stop"}}, 0},
		{"list", []any{"llm.response.finish_reason", []any{"stop", "tool_calls"}}, map[string]any{"gen_ai.response.finish_reasons": []any{"stop", "tool_call"}}, 0},
		{"list of lists", []any{"llm.response.finish_reason", []any{[]any{"stop"}}}, map[string]any{}, 1},
		{
			"fields", []any{"options", `{"temperature": 1, "max_tokens": 5, "max_completion_tokens": 7, "stop": ["a", "b"], "x": 1}`},
			map[string]any{"gen_ai.request.temperature": 1.0, "gen_ai.request.max_tokens": int64(7), "gen_ai.request.stop_sequences": []any{"a", "b"}}, 0,
		},
		{
			"fields of a map", []any{"options", map[string]any{"temperature": "0.70", "max_tokens": 5, "stop": "a"}},
			map[string]any{"gen_ai.request.temperature": 0.7, "gen_ai.request.max_tokens": int64(5), "gen_ai.request.stop_sequences": []any{"a"}}, 0,
		},
		{
			"null and unconvertible fields", []any{"options", `{"temperature": null, "max_tokens": 5.5, "max_completion_tokens": 12345678901234567890}`},
			map[string]any{}, 2,
		},
		{"no object", []any{"options", "temperature=1"}, map[string]any{}, 5},
		{"no text", []any{"options", 5}, map[string]any{}, 5},
		{"object in a field", []any{"options", `{"meta": {"a": {"b": [1]}, "api_key": "S3CR3T"}}`}, map[string]any{"gen_ai.meta": map[string]any{"a": map[string]any{"b": []any{int64(1)}}, "api_key": "[redacted]"}}, 0},
		{"with", []any{"session.id", "s", "openinference.span.kind", "x"}, map[string]any{"gen_ai.conversation.id": "s"}, 0},
		{"without", []any{"session.id", "s"}, map[string]any{}, 0},
		{"renamed", []any{"TcModel", "m"}, map[string]any{"tc.model": "m", "gen_ai.request.model": "m", "gen_ai.response.model": "m"}, 0},
		{"conformant key", []any{"TcModel", "m", "tc.model", "n"}, map[string]any{"gen_ai.request.model": "n", "gen_ai.response.model": "n"}, 1},
		{"rules of the copy", []any{"n", "3"}, map[string]any{"gen_ai.request.choice.count": "other"}, 0},
	} {
		for range 2 { // the second time, the keys are known
			in := spanWith(t, "genai", test.in...)
			before := attributesOf(in)
			out, counts := consumeTracesAt(t, host, defaultConfig(), in)
			after := attributesOf(out)
			assert.Equal(t, test.want, added(before, after), test.name)
			var violations int64
			for _, n := range counts["violations"] {
				violations += n
			}
			assert.Equal(t, test.violations, violations, "%s: %v", test.name, counts["violations"])

			again, counts := consumeTracesAt(t, host, defaultConfig(), out)
			assert.Equal(t, after, attributesOf(again), test.name)
			assert.Empty(t, counts["changes"], test.name)
		}
		// The order does not matter.
		reversed := slices.Clone(test.in)
		slices.Reverse(reversed)
		for i := 0; i < len(reversed); i += 2 {
			reversed[i], reversed[i+1] = reversed[i+1], reversed[i]
		}
		in := spanWith(t, "genai", reversed...)
		before := attributesOf(in)
		out, _ := consumeTracesAt(t, host, defaultConfig(), in)
		assert.Equal(t, test.want, added(before, attributesOf(out)), test.name)
	}
}

// Span events and log records have copies; resources, scopes, links and metrics have none.
func TestPlacesOfAttributeCopies(t *testing.T) {
	host := copyingHost(t, "")
	put := func(attrs pcommon.Map) { attrs.PutInt("llm.token_count.prompt", 1) }
	has := func(attrs pcommon.Map) bool { _, ok := attrs.Get("gen_ai.usage.input_tokens"); return ok }

	td := spanWith(t, "genai")
	rs := td.ResourceSpans().At(0)
	put(rs.Resource().Attributes())
	put(rs.ScopeSpans().At(0).Scope().Attributes())
	span := rs.ScopeSpans().At(0).Spans().At(0)
	put(span.Events().AppendEmpty().Attributes())
	put(span.Links().AppendEmpty().Attributes())
	td, counts := consumeTracesAt(t, host, defaultConfig(), td)
	rs = td.ResourceSpans().At(0)
	span = rs.ScopeSpans().At(0).Spans().At(0)
	assert.True(t, has(span.Events().At(0).Attributes()))
	assert.False(t, has(span.Attributes()) || has(span.Links().At(0).Attributes()) || has(rs.Resource().Attributes()) || has(rs.ScopeSpans().At(0).Scope().Attributes()))
	assert.Equal(t, map[string]int64{"attribute_copy genai ": 1}, counts["changes"])
	assert.Equal(t, int64(1), counts["conformant_items"][""], "a copy is no fault")

	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", "genai")
	put(rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Attributes())
	ld, _ = consumeLogsAt(t, host, defaultConfig(), ld)
	assert.True(t, has(ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes()))

	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", "genai")
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName("tokens")
	put(m.SetEmptyGauge().DataPoints().AppendEmpty().Attributes())
	mds, _ := consumeMetricsAt(t, host, defaultConfig(), md)
	assert.False(t, has(mds[0].ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Gauge().DataPoints().At(0).Attributes()))
}

// Of other services nothing is copied, and in audit mode nothing changes.
func TestAttributeCopiesOfOthers(t *testing.T) {
	in := []any{"llm.token_count.prompt", 1, "llm.provider", "X"}
	host := copyingHost(t, "services: {genai-audit: {mode: audit}}")
	for _, service := range []string{"other", "genai-audit"} {
		td := spanWith(t, service, in...)
		before := attributesOf(td)
		out, counts := consumeTracesAt(t, host, defaultConfig(), td)
		assert.Equal(t, before, attributesOf(out), service)
		assert.Equal(t, service == "genai-audit", counts["changes"]["attribute_copy genai "] == 2, "%v", counts)
	}
}

func TestRemoveCopiedAttributes(t *testing.T) {
	host := copyingHost(t, "services: {genai: {copied_attributes: remove}}")
	kept := copyingHost(t, "copied_attributes: remove\nservices: {genai: {copied_attributes: keep}}")
	for _, test := range []struct {
		name     string
		in, want map[string]any
	}{
		{"copied", map[string]any{"llm.token_count.prompt": "12"}, map[string]any{"gen_ai.usage.input_tokens": int64(12)}},
		{"equal", map[string]any{"llm.token_count.prompt": "12", "gen_ai.usage.input_tokens": 12}, map[string]any{"gen_ai.usage.input_tokens": int64(12)}},
		{
			"not equal", map[string]any{"llm.token_count.prompt": "13", "gen_ai.usage.input_tokens": 12},
			map[string]any{"llm.token_count.prompt": "13", "gen_ai.usage.input_tokens": int64(12)},
		},
		{
			"another rule was first", map[string]any{"llm.token_count.prompt": 12, "llm.usage.prompt_tokens": 13},
			map[string]any{"llm.usage.prompt_tokens": int64(13), "gen_ai.usage.input_tokens": int64(12)},
		},
		{"unconvertible", map[string]any{"llm.token_count.prompt": "x"}, map[string]any{"llm.token_count.prompt": "x"}},
		{"not listed", map[string]any{"openinference.span.kind": "X"}, map[string]any{"openinference.span.kind": "X"}},
		{"without", map[string]any{"session.id": "s"}, map[string]any{"session.id": "s"}},
		{"with", map[string]any{"session.id": "s", "openinference.span.kind": "LLM"}, map[string]any{"gen_ai.conversation.id": "s", "gen_ai.operation.name": "chat"}},
		{"fields", map[string]any{"options": `{"temperature":1.5}`}, map[string]any{"options": `{"temperature":1.5}`, "gen_ai.request.temperature": 1.5}},
		{"all copies", map[string]any{"TcModel": "m"}, map[string]any{"gen_ai.request.model": "m", "gen_ai.response.model": "m"}},
		{
			"one copy", map[string]any{"TcModel": "m", "gen_ai.request.model": "n"},
			map[string]any{"tc.model": "m", "gen_ai.request.model": "n", "gen_ai.response.model": "m"},
		},
	} {
		for _, h := range []component.Host{host, kept} {
			td := ptrace.NewTraces()
			spanWith(t, "genai").CopyTo(td)
			require.NoError(t, td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().FromRaw(test.in))
			out, _ := consumeTracesAt(t, h, defaultConfig(), td)
			once := attributesOf(out)
			if h == host {
				assert.Equal(t, test.want, once, test.name)
			} else {
				assert.GreaterOrEqual(t, len(once), len(test.in), test.name)
			}
			again, counts := consumeTracesAt(t, h, defaultConfig(), out)
			assert.Equal(t, once, attributesOf(again), test.name)
			assert.Empty(t, counts["changes"], test.name)
		}
	}
}
