// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata"
	"go.yaml.in/yaml/v3"
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
	Settings      map[string]any // besides packs
	Service       string
	MaxValueBytes int `yaml:"max_value_bytes"`
	In, Out       map[string]any
	Violations    int64
	Audited       int64 // copies that are counted and not made
}

// TestAttributeCopies checks that each case has the same outcome in any order of its attributes, and that
// processing it again changes nothing.
func TestAttributeCopies(t *testing.T) {
	text, err := os.ReadFile("testdata/attributecopies.yaml")
	require.NoError(t, err)
	var cases []copyCase
	require.NoError(t, yaml.Unmarshal(text, &cases))
	for _, test := range cases {
		settings := ""
		if test.Settings != nil {
			text, err := yaml.Marshal(test.Settings)
			require.NoError(t, err)
			settings = string(text)
		}
		host, cfg := copyingHost(t, settings), defaultConfig()
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
