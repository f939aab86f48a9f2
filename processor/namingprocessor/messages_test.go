// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata"
)

// A copy that has the key of content or of a credential says what the original is.
func TestCopiedContentIsProtected(t *testing.T) {
	in := []any{"my_question", "S3CR3T", "my_badge", "S3CR3T"}
	for _, test := range []struct {
		settings string
		want     map[string]any
	}{
		{"", map[string]any{"my_question": "[redacted]", "gen_ai.prompt": "[redacted]", "my_badge": "[redacted]", "shop.password": "[redacted]"}},
		{"copied_attributes: remove", map[string]any{"gen_ai.prompt": "[redacted]", "shop.password": "[redacted]"}},
		{"content: keep", map[string]any{"my_question": "S3CR3T", "gen_ai.prompt": "S3CR3T", "my_badge": "[redacted]", "shop.password": "[redacted]"}},
		{
			"content: {except: [my_question, gen_ai.prompt]}",
			map[string]any{"my_question": "S3CR3T", "gen_ai.prompt": "S3CR3T", "my_badge": "[redacted]", "shop.password": "[redacted]"},
		},
		{"content: {except: [my_*]}", map[string]any{"my_question": "S3CR3T", "gen_ai.prompt": "[redacted]", "my_badge": "S3CR3T", "shop.password": "[redacted]"}},
	} {
		host := copyingHost(t, test.settings)
		for range 2 { // the second time, the keys are known
			td := spanWith(t, "genai", in...)
			out, _ := consumeTracesAt(t, host, defaultConfig(), td)
			got := attributesOf(out)
			delete(got, "tc.content.length.gen_ai.prompt")
			assert.Equal(t, test.want, got, test.settings)
			before := attributesOf(out)
			again, counts := consumeTracesAt(t, host, defaultConfig(), out)
			assert.Equal(t, before, attributesOf(again), test.settings)
			assert.Empty(t, counts["changes"], test.settings)
		}
	}
}

var conversation = []any{
	"llm.input_messages.0.message.role", "user", "llm.input_messages.0.message.content", "S3CR3T question",
	"gen_ai.completion.0.role", "assistant", "gen_ai.completion.0.content", "S3CR3T answer", "gen_ai.completion.0.finish_reason", "stop",
}

func TestMessages(t *testing.T) {
	for _, test := range []struct {
		settings string
		want     map[string]any
	}{
		{"content: keep", map[string]any{
			"gen_ai.input.messages":  `[{"role":"user","parts":[{"type":"text","content":"S3CR3T question"}]}]`,
			"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"S3CR3T answer"}],"finish_reason":"stop"}]`,
		}},
		{"content: redact", map[string]any{}},
		{"content: {except: [llm.input_messages.*, gen_ai.completion.*]}", map[string]any{}},
		{"content: {except: [gen_ai.input.messages, gen_ai.output.messages]}", map[string]any{}},
		{"content: keep\nservices: {genai: {content: redact}}", map[string]any{}},
		{"content: {default: truncate, truncate_bytes: 9}", map[string]any{
			"gen_ai.input.messages": `[{"role":...[truncated]`, "gen_ai.output.messages": `[{"role":...[truncated]`,
		}},
	} {
		host := copyingHost(t, test.settings)
		td := spanWith(t, "genai", conversation...)
		before := attributesOf(td)
		out, _ := consumeTracesAt(t, host, defaultConfig(), td)
		after := attributesOf(out)
		got := added(before, after)
		for key := range got {
			if strings.HasPrefix(key, "tc.content.length.") {
				delete(got, key)
			}
		}
		assert.Equal(t, test.want, got, test.settings)
		again, counts := consumeTracesAt(t, host, defaultConfig(), out)
		assert.Equal(t, after, attributesOf(again), test.settings)
		assert.Empty(t, counts["changes"], test.settings)
	}
}

// Nothing of a conversation gets anywhere by a copy, unless the policy keeps it.
func TestNoMessageLeaks(t *testing.T) {
	in := append([]any{
		"my_messages.0.role", "user", "my_messages.0.content", "S3CR3T", "my_messages.1.content", "S3CR3T",
		"my_question", "S3CR3T", "llm.input_messages", "S3CR3T",
	}, conversation...)
	for _, settings := range []string{"", "mode: audit", "content: hash", "copied_attributes: remove", "content: hash\ncopied_attributes: remove"} {
		td := spanWith(t, "genai", in...)
		before := attributesOf(td)
		host := copyingHost(t, settings)
		out, _ := consumeTracesAt(t, host, defaultConfig(), td)
		for key, value := range attributesOf(out) {
			if settings == "mode: audit" && before[key] == value && strings.HasPrefix(key, "my_") {
				continue // the sender's own
			}
			assert.NotContains(t, fmt.Sprint(value), "S3CR3T", "%s: %s", settings, key)
		}
	}
}

func TestRemoveMessages(t *testing.T) {
	host := copyingHost(t, "content: keep\ncopied_attributes: remove")
	in := append([]any{"llm.input_messages.0.message.other", "x", "llm.input_messages", "y"}, conversation...)
	out, _ := consumeTracesAt(t, host, defaultConfig(), spanWith(t, "genai", in...))
	assert.Equal(t, map[string]any{
		"gen_ai.input.messages":              `[{"role":"user","parts":[{"type":"text","content":"S3CR3T question"}]}]`,
		"gen_ai.output.messages":             `[{"role":"assistant","parts":[{"type":"text","content":"S3CR3T answer"}],"finish_reason":"stop"}]`,
		"llm.input_messages.0.message.other": "x", "llm.input_messages": "y",
	}, attributesOf(out))
}

// A list above max_value_bytes would be no JSON any more.
func TestMessagesAboveTheLimit(t *testing.T) {
	cfg := defaultConfig()
	cfg.MaxValueBytes = 64
	td := spanWith(t, "genai", "llm.input_messages.0.message.content", strings.Repeat("x", 60))
	out, counts := consumeTracesAt(t, copyingHost(t, "content: keep\ncopied_attributes: remove"), cfg, td)
	assert.Equal(t, map[string]any{"llm.input_messages.0.message.content": strings.Repeat("x", 60)}, attributesOf(out))
	assert.Equal(t, map[string]int64{"attribute_copy genai ": 1}, counts["violations"])
}

// A key that is there twice is protected twice, and what a copy does not have is not removed.
func TestDuplicateKeysOfCopies(t *testing.T) {
	twice := func(key string) ptrace.Traces {
		td := spanWith(t, "genai", key, "S3CR3T")
		span := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		var b xpdata.MapBuilder
		b.AppendEmpty(key).SetStr("first S3CR3T")
		b.AppendEmpty(key).SetStr("second S3CR3T")
		b.UnsafeIntoMap(span.Attributes())
		return td
	}
	text := func(td ptrace.Traces) string {
		bytes, err := new(ptrace.JSONMarshaler).MarshalTraces(td)
		require.NoError(t, err)
		return string(bytes)
	}
	for _, key := range []string{"my_question", "my_badge", "llm.input_messages.0.message.content"} {
		for _, settings := range []string{"", "copied_attributes: remove"} {
			out, _ := consumeTracesAt(t, copyingHost(t, settings), defaultConfig(), twice(key))
			assert.NotContains(t, text(out), "S3CR3T", key)
		}
	}
	out, _ := consumeTracesAt(t, copyingHost(t, "content: keep\ncopied_attributes: remove"), defaultConfig(), twice("llm.input_messages.0.message.content"))
	assert.Contains(t, text(out), "second S3CR3T")
}
