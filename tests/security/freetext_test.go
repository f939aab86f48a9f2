// SPDX-License-Identifier: Apache-2.0

package security

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

const freeText = "Fr33T3xt"

// freeValue returns free text, as text and in representations of values.
func freeValue(r *rand.Rand) string {
	text := freeText + " of the user's \"question\", and more"
	quoted, _ := json.Marshal(text)
	return []string{
		text, `{"id":1,"content":` + string(quoted) + `}`, "Request(id=1, prompt=" + string(quoted) + ", n=2)", fmt.Sprintf("map[id:1 prompt:%s]", text),
		"請告訴我" + freeText, "prompt=" + strings.ReplaceAll(text, " ", "+") + "&n=1", "[{'role': 'user', 'content': " + string(quoted) + "}]",
	}[r.IntN(7)]
}

// fillFree adds free text under random keys to attributes. Labels of metrics are texts, and few.
func fillFree(r *rand.Rand, attrs pcommon.Map, labels bool) {
	key := func() string {
		return fmt.Sprintf("k%d.%s", r.IntN(40), []string{"input", "thought", "x", "note"}[r.IntN(4)])
	}
	attrs.PutStr(key(), freeValue(r))
	if labels {
		return
	}
	attrs.PutEmptyMap(key()).PutEmptySlice(key()).AppendEmpty().SetEmptyMap().PutStr(key(), freeValue(r))
	attrs.PutEmptySlice(key()).AppendEmpty().SetStr(freeValue(r))
	attrs.PutEmptyBytes(key()).FromRaw([]byte(freeValue(r)))
	attrs.PutStr("kept.id", "call_Ab-1")
}

// Free text of calls to models comes out nowhere, under whatever key: three thousand items, in both modes.
func TestFreeTextComesOutNowhere(t *testing.T) {
	for _, mode := range []string{"enforce", "audit"} {
		t.Run(mode, func(t *testing.T) {
			c := collectortest.Start(t, collectortest.Options{Configs: []string{
				"builtin:dev", "yaml:extensions::conventions::mode: " + mode, "yaml:service::telemetry::logs::level: debug",
				"yaml:exporters::debug::verbosity: detailed", "yaml:service::pipelines::traces/debug: {receivers: [otlp], processors: [naming], exporters: [debug]}",
			}})
			r := rand.New(rand.NewPCG(1, 2))
			td, ld, md := ptrace.NewTraces(), plog.NewLogs(), pmetric.NewMetrics()
			now := pcommon.NewTimestampFromTime(time.Now())
			for i, scope := range []string{"haystack.tracing", "openinference.instrumentation.openai", "", "com.anthropic.claude_code.events"} {
				rs, rl, rm := td.ResourceSpans().AppendEmpty(), ld.ResourceLogs().AppendEmpty(), md.ResourceMetrics().AppendEmpty()
				for _, attrs := range []pcommon.Map{rs.Resource().Attributes(), rl.Resource().Attributes(), rm.Resource().Attributes()} {
					attrs.PutStr("service.name", []string{"agents", "vllm"}[i%2])
					fillFree(r, attrs, true)
				}
				spans, records := rs.ScopeSpans().AppendEmpty(), rl.ScopeLogs().AppendEmpty()
				spans.Scope().SetName(scope)
				records.Scope().SetName(scope)
				metrics := rm.ScopeMetrics().AppendEmpty()
				metrics.Scope().SetName(scope)
				points := metrics.Metrics().AppendEmpty()
				points.SetName("agent_steps")
				gauge := points.SetEmptyGauge()
				for n := range 250 {
					span := spans.Spans().AppendEmpty()
					span.SetTraceID([16]byte{1, byte(i), byte(n)})
					span.SetSpanID([8]byte{1, byte(i), byte(n)})
					span.SetStartTimestamp(now)
					span.SetEndTimestamp(now)
					span.SetName("Answer the question: " + freeValue(r))
					span.Status().SetMessage(`failed: {"prompt":"` + freeText + ` a"}`)
					fillFree(r, span.Attributes(), false)
					span.Attributes().PutStr("gen_ai.operation.name", "chat")
					event := span.Events().AppendEmpty()
					event.SetName("The agent says now: " + freeText)
					fillFree(r, event.Attributes(), false)
					record := records.LogRecords().AppendEmpty()
					record.SetTimestamp(now)
					fillFree(r, record.Attributes(), false)
					record.Attributes().PutStr("gen_ai.operation.name", "chat")
					fillFree(r, record.Body().SetEmptyMap(), false)
					point := gauge.DataPoints().AppendEmpty()
					point.SetTimestamp(now)
					point.SetIntValue(int64(n))
					fillFree(r, point.Attributes(), true)
					point.Attributes().PutStr("gen_ai.operation.name", "chat")
				}
			}
			collectortest.PostTraces(t, c, td)
			collectortest.PostLogs(t, c, ld)
			collectortest.PostMetrics(t, c, md)
			collectortest.Eventually(t, time.Minute, func() (bool, string) {
				arrived := fmt.Sprint(c.Outputs(t))
				return strings.Count(arrived, "call_Ab-1") >= 3000 && strings.Contains(arrived, "agent_steps"), "not all arrived"
			})
			collectortest.RequireNowhere(t, c.Outputs(t), freeText)
			var protected []string
			collectortest.Eventually(t, time.Minute, func() (bool, string) {
				protected = nil
				for _, p := range collectortest.ConformanceReport(t, c).Protected {
					protected = append(protected, p.Allow)
				}
				return len(protected) > 10, "the report has no keys"
			})
			assert.True(t, slices.ContainsFunc(protected, func(key string) bool { return strings.HasPrefix(key, "k1") }), protected)
		})
	}
}
