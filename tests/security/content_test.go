// SPDX-License-Identifier: Apache-2.0

package security

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// contentKeys returns keys that carry content or credentials.
func contentKeys(t *testing.T) []string {
	t.Helper()
	keys, err := os.ReadFile("testdata/content_keys.txt")
	require.NoError(t, err)
	return strings.Fields(string(keys))
}

const planted = "S3CR3T-9f2c"

// plant puts content into attributes: texts, lists and maps, directly and in a map, and URLs with
// secrets. It adds numbers under the same keys, which stay.
func plant(t *testing.T, attrs pcommon.Map, labels bool) {
	t.Helper()
	nested := attrs
	if !labels {
		nested = attrs.PutEmptyMap("outer").PutEmptySlice("list").AppendEmpty().SetEmptyMap()
	}
	for i, key := range contentKeys(t) {
		switch i % 3 {
		case 0:
			attrs.PutStr(key, "tell me "+planted)
			nested.PutEmptySlice(key).AppendEmpty().SetEmptyMap().PutStr("content", planted)
		case 1:
			attrs.PutEmptySlice(key).AppendEmpty().SetStr(planted)
			nested.PutStr(key, planted)
		default:
			attrs.PutEmptyMap(key).PutStr("text", planted)
			nested.PutStr(key, `{"content":"`+planted+`"}`)
		}
	}
	attrs.PutStr("url.full", "https://user:"+planted+"@host/x?limit=5&api_key="+planted+"&X-Amz-Signature="+planted)
	attrs.PutStr("http.target", "/x?token="+planted)
	attrs.PutStr("url.query", "sig="+planted+"&limit=5")
	attrs.PutStr("peer.address", "redis://:"+planted+"@cache:6379")
	attrs.PutStr("process.command_line", "vllm --api-key "+planted+" -Ddb.password="+planted)
	attrs.PutEmptySlice("process.command_args").FromRaw([]any{"vllm", "--hf-token", planted, "--api-key=" + planted}) //nolint:errcheck // of texts
	attrs.PutStr("accesstoken.0", planted)
	attrs.PutStr("db.connection_string", "Server=db;Password="+planted+";Encrypt=true")
	if !labels {
		attrs.PutInt("llm.token_count.prompt", 12)
		attrs.PutBool("gen_ai.prompt.cached", true)
	}
}

// Content, credentials and secrets in URLs come out nowhere: not in telemetry, on no page, and in no log, in
// both modes.
func TestContentComesOutNowhere(t *testing.T) {
	for mode, config := range map[string]string{"enforce": "yaml:processors::naming::mode: enforce", "audit": "yaml:processors::naming::mode: audit"} {
		t.Run(mode, func(t *testing.T) {
			c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", config}})
			for _, service := range []string{"tuft", "somebody"} {
				sendContent(t, c, service)
			}
			collectortest.Eventually(t, time.Minute, func() (bool, string) {
				arrived := fmt.Sprint(c.Outputs(t))
				for _, marker := range []string{"span-of-tuft", "span-of-somebody", "record-of-tuft", "record-of-somebody", "metric_of_tuft", "metric_of_somebody"} {
					if !strings.Contains(arrived, marker) {
						return false, marker + " is missing"
					}
				}
				return true, ""
			})
			collectortest.RequireNowhere(t, c.Outputs(t), planted)
			span := c.Traces(t).ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().AsRaw()
			assert.Equal(t, int64(12), span["llm.token_count.prompt"])
			assert.Equal(t, true, span["gen_ai.prompt.cached"])
			assert.Equal(t, "[redacted]", span["gen_ai.input.messages"])
			assert.Equal(t, int64(len("tell me "+planted)+len(`[{"content":"`+planted+`"}]`)), span["tc.content.length.gen_ai.input.messages"])
			assert.Equal(t, "https://REDACTED@host/x?limit=5&api_key=REDACTED&X-Amz-Signature=REDACTED", span["url.full"])
			counted := collectortest.Sum(c.SelfMetrics(t)["otelcol_naming_content"], map[string]string{"action": "redact"})
			assert.Greater(t, counted, 500.0)
		})
	}
}

// plants returns what plant puts into attributes, as OTLP has it in JSON.
func plants(t *testing.T, labels bool) string {
	t.Helper()
	traces := ptrace.NewTraces()
	plant(t, traces.ResourceSpans().AppendEmpty().Resource().Attributes(), labels)
	document, err := (&ptrace.JSONMarshaler{}).MarshalTraces(traces)
	require.NoError(t, err)
	var sent struct {
		ResourceSpans []struct {
			Resource struct{ Attributes json.RawMessage }
		}
	}
	require.NoError(t, json.Unmarshal(document, &sent))
	return strings.Trim(string(sent.ResourceSpans[0].Resource.Attributes), "[]")
}

// sendContent sends testdata/content_*.json.
func sendContent(t *testing.T, c *collectortest.Collector, service string) {
	t.Helper()
	payload.Read(t, "testdata/content", time.Now(), "$service", service, "$trace", fmt.Sprintf("%032x", len(service)), "$secret", planted,
		`"$attributes"`, plants(t, false), `"$labels"`, plants(t, true)).Post(t, c)
}

// A text of 1 MiB takes the search for content less than a second, whatever it is.
func TestHostileTexts(t *testing.T) {
	collectortest.NeedsMeasuring(t)
	file, err := os.ReadFile("../../conventions/content/testdata/hostile.yaml")
	require.NoError(t, err)
	var parts []string
	require.NoError(t, yaml.Unmarshal(file, &parts))
	for _, action := range []content.Action{content.Redact, content.Truncate, content.Keep} {
		p := content.New(content.Config{Default: action}, nil)
		for _, part := range parts {
			text := strings.Repeat(part, collectortest.MiB/len(part))
			start := time.Now()
			p.Search(action, text, func(*content.Rule, int) {})
			for form := content.AnyText; form <= content.Command; form++ {
				p.ScrubURLs(form, text)
			}
			collectortest.Within(t, time.Since(start), time.Second, part, action)
		}
	}
}
