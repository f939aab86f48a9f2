// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// modelScopes, modelKeys and modelServices each make telemetry one about calls to models.
var (
	modelScopes = []string{
		"openinference.instrumentation.openai", "opentelemetry.instrumentation.anthropic", "pydantic-ai", "haystack.tracing", "genkit-tracer", "lmnr.sdk", "litellm",
		"ai", "Experimental.Microsoft.Extensions.AI", "com.anthropic.claude_code.events", "logfire.openai", "mlflow.tracing", "opentelemetry.instrumentation.qdrant",
	}
	modelKeys     = []string{"gen_ai.system", "llm.request.type", "ai.operationId", "openinference.span.kind", "traceloop.span.kind", "langfuse.trace.id"}
	modelServices = []string{"vllm-1", "fastdeploy", "litellm-proxy", "claude-code", "agent-of-the-user"}
)

// freeKeys are keys of real instrumentations that nobody lists, and parts of keys.
var freeKeys = []string{
	"haystack.component.input", "genkit:input", "db.vector.query.content", "lmnr.span.output", "braintrust.input_json", "gen_ai.completion_json", "mcp.tool.arguments",
	"ai.observability.record_root.input", "honeyhive_inputs.question", "langchain.inputs", "request_data", "executor.input", "mlflow.chat.messages", "user_prompt", "arguments",
	"output", "tool_parameters", "body", "function_args", "response_text", "customer.note", "previous_models", "user_api_key_auth", "x", "note", "question.0.text", "state", "Query",
	"test", "system", "source", "session", "user", "file", "host", "title", "日記", "key with spaces", marker + " and more", "請告訴我請告訴我" + marker, "my%20" + marker, "result", "app.thought", "graph.state", "gen_ai.request.stop_sequences",
}

const marker = "S3CR3T"

// generator makes random telemetry about calls to models, with a marker in all texts of people and models.
type generator struct {
	*rand.Rand
	encoded []string // texts with the marker, as they were encoded
}

func pick[T any](g *generator, of []T) T { return of[g.IntN(len(of))] }

// text returns free text: words, also with quotes, brackets and line breaks, or in a language without spaces.
func (g *generator) text() string {
	words := []string{"tell", "me", "it's", `"so"`, "{a}", "[b", "c)", "x=1,", "\n", "größe", "請告訴我", "https://h/x?a=b", "prompt:", `\`, "'", "a, b: c"}
	text := marker + " " + pick(g, words)
	if g.IntN(8) == 0 {
		text = "請告訴我" + marker
	}
	for range g.IntN(5) {
		text = pick(g, words) + " " + text + " " + pick(g, words)
	}
	return text
}

// field returns the name of a field with content.
func (g *generator) field() string {
	return pick(g, []string{"prompt", "content", "messages", "input", "text", "userPrompt", "tool_input", "question", "output"})
}

// written returns a text with a field that has free text, as programs write it.
func (g *generator) written() string {
	text, field := g.text(), g.field()
	quotedJSON := func(v any) string { encoded, _ := json.Marshal(v); return string(encoded) }
	python := "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`).Replace(text) + "'"
	switch g.IntN(9) {
	case 0:
		return quotedJSON(map[string]any{"id": "a", field: text, "z": 1})
	case 1:
		return "body " + quotedJSON(map[string]any{"choices": []any{map[string]any{"delta": map[string]any{field: text}, "finish_reason": "stop"}}}) + " end"
	case 2:
		return quotedJSON(map[string]any{"request_body": quotedJSON(map[string]any{"n": 1, field: text})})
	case 3:
		return "{'n': 1, '" + field + "': " + python + ", 'z': None}"
	case 4:
		return "Request(id=1, " + field + "=" + python + ", n=2)"
	case 5:
		return fmt.Sprintf("%+v", map[string]any{"id": 1, field: text})
	case 6:
		return fmt.Sprintf("&{Id:1 Field:%q}", text)[:6] + fmt.Sprintf(" %s:%q n:1}", field, text)
	case 7:
		return "POST /x?" + url.Values{field: {text}, "n": {"1"}}.Encode() + " HTTP/1.1"
	default:
		return "level=info " + field + "=" + strconv.Quote(text) + " n=1"
	}
}

// encode returns free text in an encoding that is free text, too.
func (g *generator) encode() string {
	text := g.text()
	switch g.IntN(7) {
	case 0:
		text = base64.StdEncoding.EncodeToString([]byte(text))
	case 1:
		text = hex.EncodeToString([]byte(text))
	case 2:
		text = url.QueryEscape(text)
	case 3:
		text = g.written()
	default:
		return text
	}
	g.encoded = append(g.encoded, text)
	return text
}

// plant sets a value to one with free text in it.
func (g *generator) plant(v pcommon.Value, depth int) {
	switch n := g.IntN(8); {
	case n == 0 && depth > 0:
		list := v.SetEmptySlice()
		list.AppendEmpty().SetInt(7)
		g.plant(list.AppendEmpty(), depth-1)
	case n <= 2 && depth > 0:
		g.fill(v.SetEmptyMap(), depth-1)
	case n == 3:
		v.SetEmptyBytes().FromRaw([]byte(g.text()))
	default:
		v.SetStr(g.encode())
	}
}

// fill adds attributes with free text, and some that stay.
func (g *generator) fill(m pcommon.Map, depth int) {
	for range 1 + g.IntN(3) {
		key := pick(g, freeKeys)
		for g.IntN(3) == 0 {
			key = pick(g, freeKeys) + "." + key
		}
		g.plant(m.PutEmpty(key), depth)
	}
	m.PutInt("count", 7)
	m.PutStr("kept.id", "call_Ab-1")
}

// fillLabels is fill for data points, whose attributes are texts.
func (g *generator) fillLabels(m pcommon.Map) {
	m.PutStr(pick(g, freeKeys), g.encode())
	m.PutStr("kept.id", "call_Ab-1")
}

// item fills a batch with telemetry about calls to models.
func (g *generator) item() batch {
	b := newBatch()
	resources := []pcommon.Map{
		b.traces.ResourceSpans().At(0).Resource().Attributes(), b.logs.ResourceLogs().At(0).Resource().Attributes(), b.metrics.ResourceMetrics().At(0).Resource().Attributes(),
	}
	spans, records, metrics := b.traces.ResourceSpans().At(0).ScopeSpans().At(0), b.logs.ResourceLogs().At(0).ScopeLogs().At(0), b.metrics.ResourceMetrics().At(0).ScopeMetrics().At(0)
	span, record, point := spans.Spans().At(0), records.LogRecords().At(0), metrics.Metrics().At(2).Histogram().DataPoints().At(0)
	switch g.IntN(3) {
	case 0:
		scope := pick(g, modelScopes)
		spans.Scope().SetName(scope)
		records.Scope().SetName(scope)
		metrics.Scope().SetName(scope)
	case 1:
		service := pick(g, modelServices)
		for _, attrs := range resources {
			attrs.PutStr("service.name", service)
		}
	default:
		key := pick(g, modelKeys)
		defer func() { // last, so that what is before it is looked at again
			for _, attrs := range []pcommon.Map{span.Attributes(), record.Attributes(), point.Attributes()} {
				attrs.PutStr(key, "x")
			}
		}()
	}
	for _, attrs := range append(resources, spans.Scope().Attributes(), records.Scope().Attributes(), metrics.Scope().Attributes()) {
		if g.IntN(4) == 0 {
			g.fill(attrs, 1)
		}
	}
	g.fill(span.Attributes(), 3)
	g.fill(span.Events().At(0).Attributes(), 2)
	g.fill(span.Links().At(0).Attributes(), 1)
	span.SetName(pick(g, []string{"chat gpt-4o", "Answer the question of the user: " + g.text(), "Answer " + g.text() + strings.Repeat(" and", 5), "Answer 請告訴我" + marker}))
	span.Events().At(0).SetName(pick(g, []string{"event", "The user asks for some things: " + g.text()}))
	span.Status().SetMessage(pick(g, []string{"timeout", "Error code 400: " + g.written()}))
	span.Attributes().PutStr("exception.message", g.written())
	g.fill(record.Attributes(), 2)
	switch g.IntN(4) {
	case 0:
		record.Body().SetStr(g.written())
	case 1:
		g.fill(record.Body().SetEmptyMap(), 3)
	case 2:
		g.fill(record.Body().SetEmptySlice().AppendEmpty().SetEmptyMap(), 3)
	default:
		record.SetEventName("codex.tool_result")
		record.Body().SetStr(g.text())
	}
	g.fillLabels(point.Attributes())
	g.fillLabels(point.Exemplars().At(0).FilteredAttributes())
	return b
}

// propertyItems returns how many items the test of the property makes. TC_ITEMS sets it: make fuzz.
func propertyItems(t *testing.T) int {
	items := soak.Count(t, "TC_ITEMS", 20000)
	t.Logf("%d items", items)
	return items
}

// Whatever key free text of a call to a model has, and however it is nested and encoded, none of it leaves. Numbers
// and ids do.
func TestNoFreeTextLeaves(t *testing.T) {
	packs, err := conventions.Load([]any{"builtin:all"})
	if err != nil {
		packs, err = conventions.Load([]any{conventions.Builtins})
	}
	require.NoError(t, err)
	services := map[string]content.Service{"agent-of-*": {Models: true}}
	walks := []*Walk{
		New(content.NewWith(content.Config{}, services, packs), func(*content.Rule, content.Action, int64) {}),
		New(content.NewWith(content.Config{Default: content.Hash}, services, packs), func(*content.Rule, content.Action, int64) {}),
	}
	seed := rand.Uint64()
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	for i := range propertyItems(t) {
		g.encoded = g.encoded[:0]
		b := g.item()
		w := walks[i%len(walks)]
		w.Traces(b.traces)
		w.Logs(b.logs)
		w.Metrics(b.metrics)
		sent := b.sent(t)
		for _, text := range append(g.encoded, marker) {
			if at := strings.Index(sent, text); at >= 0 {
				t.Fatalf("seed %d, item %d: %q left: %q", seed, i, text, sent[max(0, at-200):min(len(sent), at+len(text)+50)])
			}
		}
		require.Equal(t, 0, strings.Count(sent, "kept.id")-strings.Count(sent, "call_Ab-1"))
	}
	for _, w := range walks {
		for _, count := range w.policy.Counts() {
			require.NotContains(t, count.Key, marker)
		}
	}
}
