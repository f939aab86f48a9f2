// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// copiedKeys are the keys of attributecopies_pack.yaml, before and after, and those of messages.
var copiedKeys = []string{
	"llm.token_count.prompt", "llm.usage.prompt_tokens", "gen_ai.usage.input_tokens", "openinference.span.kind", "gen_ai.operation.name",
	"llm.provider", "gen_ai.provider.name", "llm.response.finish_reason", "gen_ai.response.finish_reasons", "options", "gen_ai.request.temperature",
	"gen_ai.request.max_tokens", "gen_ai.meta", "session.id", "gen_ai.conversation.id", "TcModel", "tc.model", "gen_ai.request.model", "gen_ai.response.model",
	"my_question", "gen_ai.prompt", "my_badge", "shop.password", "llm.input_messages", "gen_ai.input.messages", "gen_ai.output.messages", "n",
	"gen_ai.request.choice.count", "llm.input_messages.0.message.role", "llm.input_messages.0.message.content", "llm.input_messages.7.message.content",
	"llm.input_messages.7.message.tool_calls.0.tool_call.id", "gen_ai.completion.0.content", "gen_ai.completion.999999999.role", "my_messages.0.content", "other",
}

var copiedValues = []any{
	"12", "x", "LLM", "S3CR3T", "", "1.50", "True", `{"temperature": 1.0, "max_tokens": 5, "meta": {"password": "S3CR3T"}, "stop": "S"}`, "{", `{"meta": [["https://u:p@h/?token=S3CR3T"]]}`,
	"https://u:S3CR3T@host/?password=S3CR3T", int64(3), int64(1) << 60, 2.0, 2.5, true, nil, []any{"stop", "X"}, []any{int64(1)}, map[string]any{"temperature": "0.5", "stop": []any{"a"}, "secret": "S3CR3T"},
}

func (r random) copied(attrs pcommon.Map) {
	for _, i := range r.Perm(len(copiedKeys))[:r.IntN(12)] {
		_ = attrs.PutEmpty(copiedKeys[i]).FromRaw(copiedValues[r.IntN(len(copiedValues))])
	}
}

// TestAttributeCopiesProperties checks that copies lose nothing, that enforcing twice equals enforcing once, that the order of the
// attributes does not matter, and that audit mode changes nothing and counts as much.
func TestAttributeCopiesProperties(t *testing.T) {
	settings := []string{"", "content: keep", "content: hash", "content: {default: truncate, truncate_bytes: 8}", "content: {default: keep, secrets: keep}"}
	for _, originals := range []string{"keep", "remove"} {
		for _, content := range settings {
			what := "copied_attributes: " + originals + "\n" + content
			enforce, audit := copyingHost(t, what), copyingHost(t, what+"\nmode: audit")
			for seed := range uint64(40) {
				r := random{rand.New(rand.NewPCG(seed, 7))}
				td := spanWith(t, "genai")
				span := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
				r.copied(span.Attributes())
				r.copied(span.Events().AppendEmpty().Attributes())
				turned := spanKind.copy(t, td)
				turn(turned.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes())
				name := fmt.Sprintf("%s, seed %d", what, seed)

				// The audited data is what comes out if packs only know the keys, because content is replaced in all modes.
				plain, _ := consumeTracesAt(t, hostWith(t, "packs: [testdata/attributecopies_keys.yaml]\n"+content), defaultConfig(), spanKind.copy(t, td))
				same, auditCounts := consumeTracesAt(t, audit, defaultConfig(), spanKind.copy(t, td))
				assert.Equal(t, spanKind.text(t, plain), spanKind.text(t, same), name)

				once, counts := consumeTracesAt(t, enforce, defaultConfig(), td)
				delete(counts, "content") // of copies
				delete(auditCounts, "content")
				assert.Equal(t, auditCounts, counts, name)
				if originals == "keep" {
					for key := range attributesOf(plain) {
						if key != "TcModel" { // renamed
							assert.Contains(t, attributesOf(once), key, name)
						}
					}
				}
				if content == "" {
					for key, value := range attributesOf(once) {
						if attributesOf(plain)[key] == nil && key != "tc.model" {
							assert.NotContains(t, fmt.Sprint(value), "p@h", "%s: %s", name, key)
						}
					}
				}
				other, _ := consumeTracesAt(t, enforce, defaultConfig(), turned)
				assert.Equal(t, attributesOf(once), attributesOf(other), name)

				after := spanKind.text(t, once)
				twice, again := consumeTracesAt(t, enforce, defaultConfig(), once)
				assert.Equal(t, after, spanKind.text(t, twice), name)
				assert.Empty(t, again["changes"], name)
			}
		}
	}
}

// turn reverses the order of attributes.
func turn(attrs pcommon.Map) {
	before := attrs.AsRaw()
	var keys []string
	for key := range attrs.All() {
		keys = append(keys, key)
	}
	attrs.Clear()
	for _, key := range slices.Backward(keys) {
		_ = attrs.PutEmpty(key).FromRaw(before[key])
	}
}

// FuzzAttributeCopies checks that any attributes are processed without a panic, and that processing them again changes nothing.
func FuzzAttributeCopies(f *testing.F) {
	f.Add("llm.token_count.prompt\x0012\x00options\x00{\"max_tokens\": 1e400, \"meta\": {\"a\": [{}]}}\x00llm.input_messages.0.message.content\x00x", byte(0))
	f.Add("gen_ai.completion.1.tool_calls.999999999.name\x00x\x00TcModel\x00y\x00tc.model\x00z", byte(3))
	f.Add("options\x00{\"stop\":[\"\\ud800\"],\"temperature\":\"1e-05\"}\x00options\x00{}\x00session.id\x00s\x00openinference.span.kind\x00LLM", byte(5))
	var hosts []component.Host
	for _, content := range []string{"redact", "keep", "hash"} {
		for _, originals := range []string{"keep", "remove"} {
			hosts = append(hosts, copyingHost(f, "content: "+content+"\ncopied_attributes: "+originals))
		}
	}
	f.Fuzz(func(t *testing.T, text string, host byte) {
		td := spanWith(t, "genai")
		attrs := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes()
		fields := strings.Split(text, "\x00")
		for i := 0; i+1 < len(fields); i += 2 {
			attrs.PutStr(fields[i], fields[i+1])
		}
		h := hosts[int(host)%len(hosts)]
		once, _ := consumeTracesAt(t, h, defaultConfig(), td)
		before := attributesOf(once)
		twice, again := consumeTracesAt(t, h, defaultConfig(), once)
		assert.Equal(t, before, attributesOf(twice))
		assert.Empty(t, again["changes"])
	})
}
