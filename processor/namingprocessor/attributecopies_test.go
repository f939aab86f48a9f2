// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

func copyingHost(t testing.TB, settings string) component.Host {
	t.Helper()
	return hostWith(t, "packs: [testdata/attributecopies_pack.yaml]\n"+settings)
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

func attributesOfSpan(td ptrace.Traces) pcommon.Map {
	return td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes()
}

func attributesOf(td ptrace.Traces) map[string]any {
	return attributesOfSpan(td).AsRaw()
}

// copyCase is a case of testdata/attributecopies.yaml.
type copyCase struct {
	Name          string
	Settings      map[string]any // besides its packs, unless there are others
	Service       string
	MaxValueBytes int `yaml:"max_value_bytes"`
	In, Out       map[string]any
	Violations    int64
	Audited       int64 // copies that are counted and not made
}

// TestAttributeCopies checks that each case has the same outcome in any order of its attributes, and that
// processing it again changes nothing.
func TestAttributeCopies(t *testing.T) {
	for _, test := range testfiles.Cases[copyCase](t, "testdata/attributecopies.yaml") {
		settings := map[string]any{"packs": []string{"testdata/attributecopies_pack.yaml"}}
		maps.Copy(settings, test.Settings)
		text, err := yaml.Marshal(settings)
		require.NoError(t, err)
		host, cfg := hostWith(t, string(text)), defaultConfig()
		if test.MaxValueBytes > 0 {
			cfg.MaxValueBytes = test.MaxValueBytes
		}
		want := pcommon.NewMap()
		require.NoError(t, want.FromRaw(test.Out))
		keys := slices.Sorted(maps.Keys(test.In))
		for range 2 { // the second time, the order is another one, and the keys are known
			in := spanWith(t, cmp.Or(test.Service, "genai"))
			for _, key := range keys {
				require.NoError(t, attributesOfSpan(in).PutEmpty(key).FromRaw(test.In[key]))
			}
			out, counts := consumeTracesAt(t, host, cfg, in)
			got := attributesOf(out)
			for key := range got {
				if strings.HasPrefix(key, "tc.content.length.") {
					delete(got, key)
				}
			}
			assert.Equal(t, want.AsRaw(), got, test)
			assert.Equal(t, test.Violations, sum(counts["violations"]), test)

			before := attributesOf(out)
			again, counts := consumeTracesAt(t, host, cfg, out)
			assert.Equal(t, before, attributesOf(again), test)
			assert.Equal(t, test.Audited, sum(counts["changes"]), test)
			slices.Reverse(keys)
		}
	}
}

func sum(counts map[string]int64) (total int64) {
	for _, n := range counts {
		total += n
	}
	return total
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
