// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
)

const secret = "S3CR3T and more"

// keyOf returns a key that a rule matches.
func keyOf(rule *content.Rule) string {
	if rule.Secret {
		return "my." + strings.ReplaceAll(strings.TrimSuffix(rule.Label, ".*"), "*", "x")
	}
	return strings.ReplaceAll(strings.TrimSuffix(rule.Label, ".*"), "*", "0")
}

// keyRules returns the rules that are about keys of attributes.
func keyRules(p *content.Policy) []*content.Rule {
	return slices.DeleteFunc(slices.Clone(p.Rules()), func(rule *content.Rule) bool {
		return p.Key(keyOf(rule)).Rule != rule
	})
}

// The key of every rule, in every place, with every shape of value.
func TestNothingComesOut(t *testing.T) {
	for _, action := range []content.Action{content.Redact, content.Hash} {
		p := content.New(content.Config{Default: action}, nil)
		rules := keyRules(p)
		require.Greater(t, len(rules), 150)
		for _, place := range places {
			for _, shape := range shapes {
				for _, family := range []string{"", ".0.message.content"} {
					b := newBatch()
					attrs := place.at(b)
					for _, rule := range rules {
						key := keyOf(rule)
						if p.Key(key+family).Rule == nil || rule.Name && strings.Contains(place.name, "metrics") {
							continue
						}
						shape.set(attrs.PutEmpty(key+family), secret)
					}
					sent := b.protected(t, namesAsSecrets(p))
					if !assert.NotContains(t, sent, "S3CR3T", "%s in %s", shape.name, place.name) {
						return
					}
					assert.Equal(t, sent, b.protected(t, p), "twice")
				}
			}
		}
	}
}

// namesAsSecrets makes the labels of metrics that are names secrets too.
func namesAsSecrets(p *content.Policy) *content.Policy {
	for _, rule := range p.Rules() {
		rule.Name = false
	}
	return p
}

func TestNumbersStay(t *testing.T) {
	p := content.New(content.Config{}, nil)
	for _, place := range places {
		b := newBatch()
		attrs := place.at(b)
		attrs.EnsureCapacity(1000)
		for _, rule := range keyRules(p) {
			key := keyOf(rule)
			attrs.PutInt(key, 12)
			attrs.PutDouble(key+".double", 0.5)
			attrs.PutBool(key+".bool", true)
			attrs.PutEmpty(key + ".empty")
			attrs.PutStr(key+".text", "")
			attrs.PutEmptyMap(key + ".map")
			attrs.PutEmptySlice(key + ".list")
		}
		attrs.PutInt("llm.token_count.prompt", 12)
		attrs.PutStr("llm.token_count.completion", "12")
		before := b.sent(t)
		assert.Equal(t, before, b.protected(t, p), place.name)
	}
}

func TestSecretLabelsOfMetricsAreNames(t *testing.T) {
	p := content.New(content.Config{}, nil)
	b := newBatch()
	gauge := metricOf(b, 0).Gauge().DataPoints().At(0).Attributes()
	gauge.PutStr("secret", "default-token-x")
	gauge.PutStr("password", secret)
	spanOf(b).Attributes().PutStr("secret", secret)
	b.protected(t, p)
	gauge.Remove(content.StreamKey)
	assert.Equal(t, map[string]any{"secret": "default-token-x", "password": content.Redacted}, gauge.AsRaw())
	assert.Equal(t, map[string]any{"secret": content.Redacted}, spanOf(b).Attributes().AsRaw())
}

func TestNoLengthsMakeNewSeries(t *testing.T) {
	p := content.New(content.Config{}, nil)
	for _, place := range places {
		if strings.Contains(place.name, "span") || strings.Contains(place.name, "event") || strings.Contains(place.name, "record") {
			continue
		}
		b := newBatch()
		attrs := place.at(b)
		attrs.PutStr("gen_ai.prompt", secret)
		b.protected(t, p)
		attrs.Remove(content.StreamKey)
		assert.Equal(t, map[string]any{"gen_ai.prompt": "[redacted]"}, attrs.AsRaw(), place.name)
	}
}

// Points that differ only by what they lost are still different streams, and equal points one stream. A second
// collector changes nothing.
func TestStreamsStayApart(t *testing.T) {
	p := content.New(content.Config{}, nil)
	walk := New(p, func(*content.Rule, content.Action, int64) {})
	md := pmetric.NewMetrics()
	points := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptySum().DataPoints()
	for _, target := range []string{"http://h/x?api_key=0", "http://h/x?api_key=1", "http://h/x?api_key=0", "http://h/x"} {
		points.AppendEmpty().Attributes().PutStr("url.full", target)
	}
	walk.Metrics(md)
	stream := func(i int) string {
		value, ok := points.At(i).Attributes().Get(content.StreamKey)
		require.Equal(t, i < 3, ok)
		return value.AsString()
	}
	assert.NotEqual(t, stream(0), stream(1))
	assert.Equal(t, stream(0), stream(2))
	_, ok := points.At(3).Attributes().Get(content.StreamKey)
	assert.False(t, ok)
	once := pmetric.NewMetrics()
	md.CopyTo(once)
	walk.Metrics(md)
	assert.Equal(t, once, md)
}

func TestEventsWithContent(t *testing.T) {
	p := content.New(content.Config{}, nil)
	for _, name := range []string{"gen_ai.user.message", "gen_ai.choice", "gen_ai.client.inference.operation.details", "gen_ai.content.prompt"} {
		b := newBatch()
		event := spanOf(b).Events().At(0)
		event.SetName(name)
		for i, key := range []string{"content", "message", "body", "tool_calls", "anything", "role"} {
			shapes[i%len(shapes)].set(event.Attributes().PutEmpty(key), secret)
		}
		for _, key := range []string{"tool_calls.0.function.arguments", "content.0.text", "message.parts.0"} {
			event.Attributes().PutStr(key, secret)
		}
		event.Attributes().PutStr("tool_calls.0.id", "call_2")
		event.Attributes().PutStr("message.role", "assistant")
		event.Attributes().PutStr("id", "call_1")
		event.Attributes().PutStr("gen_ai.system", "openai")
		event.Attributes().PutInt("index", 0)
		for i, shape := range shapes {
			record := b.logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().AppendEmpty()
			shape.set(record.Body(), secret)
			shape.set(record.Attributes().PutEmpty("content"), secret)
			switch {
			case i%3 == 0:
				record.SetEventName(name)
			case i%3 == 1 || record.Body().Type() != pcommon.ValueTypeMap:
				record.Attributes().PutStr("event.name", name)
			default:
				record.Body().Map().PutStr("event.name", name)
			}
		}
		assert.NotContains(t, b.protected(t, p), "S3CR3T", name)
		raw := event.Attributes().AsRaw()
		assert.Equal(t, "call_1", raw["id"])
		assert.Equal(t, "call_2", raw["tool_calls.0.id"])
		assert.Equal(t, "assistant", raw["message.role"])
		assert.Equal(t, "openai", raw["gen_ai.system"])
		assert.Equal(t, int64(0), raw["index"])
	}
}

func TestURLs(t *testing.T) {
	const url = "https://user:S3CR3T@host/x?a=b&api_key=S3CR3T&X-Amz-Signature=S3CR3T#access_token=S3CR3T"
	p := content.New(content.Config{}, nil)
	for _, place := range places {
		for _, key := range []string{"url.full", "http.url", "peer.address", "note", "db.connection_string"} {
			for _, shape := range shapes {
				b := newBatch()
				shape.set(place.at(b).PutEmpty(key), url)
				assert.NotContains(t, b.protected(t, p), "S3CR3T", "%s of %s in %s", shape.name, key, place.name)
			}
		}
		b := newBatch()
		place.at(b).PutStr("http.target", "/x?token=S3CR3T")
		place.at(b).PutStr("url.query", "token=S3CR3T&a=b")
		assert.NotContains(t, b.protected(t, p), "S3CR3T", place.name)
	}
	b := newBatch()
	arguments := b.traces.ResourceSpans().At(0).Resource().Attributes().PutEmptySlice("process.command_args")
	require.NoError(t, arguments.FromRaw([]any{"vllm", "--api-key", "S3CR3T", int64(5), []any{url}, "--hf-token=S3CR3T"}))
	spanOf(b).Events().At(0).SetName("GET " + url)
	recordOf(b).SetEventName("GET " + url)
	recordOf(b).Body().SetEmptyBytes().FromRaw([]byte("GET " + url))
	assert.NotContains(t, b.protected(t, p), "S3CR3T")
	b = newBatch()
	spanOf(b).SetName("GET /v1/models?api_key=S3CR3T&limit=5")
	spanOf(b).Status().SetMessage("Get " + url + ": refused")
	b.protected(t, p)
	assert.Equal(t, "GET /v1/models?api_key=REDACTED&limit=5", spanOf(b).Name())
	assert.Equal(t, "Get https://REDACTED@host/x?a=b&api_key=REDACTED&X-Amz-Signature=REDACTED#access_token=REDACTED refused", spanOf(b).Status().Message())
}

func TestActionsOfServices(t *testing.T) {
	p := content.New(content.Config{TruncateBytes: 3}, map[string]content.Action{
		"keep": content.Keep, "hash": content.Hash, "truncate": content.Truncate,
	})
	td := ptrace.NewTraces()
	for _, service := range []string{"keep", "hash", "truncate", "other"} {
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", service)
		attrs := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty().Attributes()
		attrs.PutStr("gen_ai.prompt", "secret")
		attrs.PutEmptyMap("gen_ai.input.messages").PutStr("password", "secret")
		attrs.PutStr("password", "secret")
	}
	counted := map[string]int64{}
	New(p, func(rule *content.Rule, action content.Action, values int64) {
		counted[rule.Label+" "+string(action)] += values
	}).Traces(td)
	prompts := map[string]string{}
	for _, rs := range td.ResourceSpans().All() {
		attrs := rs.ScopeSpans().At(0).Spans().At(0).Attributes()
		service, _ := rs.Resource().Attributes().Get("service.name")
		prompt, _ := attrs.Get("gen_ai.prompt")
		prompts[service.Str()] = prompt.Str()
		password, _ := attrs.Get("password")
		assert.Equal(t, "[redacted]", password.Str())
		messages, _ := attrs.Get("gen_ai.input.messages")
		assert.NotContains(t, messages.AsString(), "secret")
	}
	assert.Equal(t, map[string]string{
		"keep": "secret", "hash": "[sha256:2bb80d537b1da3e3]", "truncate": "sec...[truncated]", "other": "[redacted]",
	}, prompts)
	assert.Equal(t, map[string]int64{
		"gen_ai.prompt.* redact": 1, "gen_ai.prompt.* hash": 1, "gen_ai.prompt.* truncate": 1,
		"gen_ai.input.messages.* redact": 1, "gen_ai.input.messages.* hash": 1, "gen_ai.input.messages.* truncate": 1,
		"password redact": 6, // one is in what truncate keeps
	}, counted)
	assert.Contains(t, p.Counts(), content.Count{Service: "hash", Key: "gen_ai.prompt.*", Action: content.Hash, Count: 1, Bytes: 6, Allow: "gen_ai.prompt.*"})
	assert.Contains(t, p.Counts(), content.Count{Service: "keep", Key: "password", Action: content.Redact, Count: 2})
}

// FuzzSecrets plants a text in places that the input chooses, beside other attributes, and checks that it
// does not come out.
func FuzzSecrets(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0}, "key", "value")
	f.Add([]byte{5, 9, 77, 1, 3, 12, 200, 2}, "url.full", "https://u@h/?a=b")
	p := content.New(content.Config{}, nil)
	rules := keyRules(p)
	urls := []string{"https://u:%@h/x", "https://h/?a=b&api_key=%", "x https://h/?sig=%&y https://h/#token=% z"}
	f.Fuzz(func(t *testing.T, plan []byte, key, value string) {
		if strings.Contains(key+value, "S3CR3T") {
			return
		}
		b := newBatch()
		maps := make([]pcommon.Map, len(places))
		for len(plan) >= 4 && len(plan) <= 400 {
			at, which, form, other := int(plan[0])%len(places), int(plan[1]), int(plan[2]), plan[3]
			plan = plan[4:]
			// A body is one of several places at a time.
			if strings.HasPrefix(places[at].name, "body") && slices.ContainsFunc(places, func(o place) bool {
				return strings.HasPrefix(o.name, "body") && o.name != places[at].name && maps[slices.IndexFunc(places, func(p place) bool { return p.name == o.name })] != (pcommon.Map{})
			}) {
				continue
			}
			if maps[at] == (pcommon.Map{}) {
				maps[at] = places[at].at(b)
			}
			attrs := maps[at]
			if other%3 == 0 {
				shapes[form%len(shapes)].set(attrs.PutEmpty(key), value)
			}
			if other%5 == 0 {
				shapes[form%len(shapes)].set(attrs.PutEmpty("note"), strings.ReplaceAll(urls[which%len(urls)], "%", "S3CR3T"))
				continue
			}
			rule := rules[which%len(rules)]
			if !rule.Name {
				shapes[form%len(shapes)].set(attrs.PutEmpty(keyOf(rule)), value+secret)
			}
		}
		sent := b.protected(t, p)
		assert.NotContains(t, sent, "S3CR3T")
		assert.Equal(t, sent, b.protected(t, p), "twice")
	})
}

// A line with content, wherever the text of a record is.
func TestLinesOfRecords(t *testing.T) {
	const line, want = "Request chatcmpl-1f details: prompt: 'S3CR3T'", "Request chatcmpl-1f details: prompt: [redacted]"
	p := content.New(content.Config{}, nil)
	for name, set := range map[string]func(plog.LogRecord){
		"body":           func(r plog.LogRecord) { r.Body().SetStr(line) },
		"bytes":          func(r plog.LogRecord) { r.Body().SetEmptyBytes().FromRaw([]byte(line)) },
		"map":            func(r plog.LogRecord) { r.Body().SetEmptyMap().PutEmptyMap("fields").PutStr("text", line) },
		"list":           func(r plog.LogRecord) { r.Body().SetEmptySlice().AppendEmpty().SetStr(line) },
		"message":        func(r plog.LogRecord) { r.Attributes().PutStr("message", line) },
		"original":       func(r plog.LogRecord) { r.Attributes().PutStr("log.record.original", line) },
		"body and other": func(r plog.LogRecord) { r.Attributes().PutStr("x", "y"); r.Body().SetStr(line) },
	} {
		b := newBatch()
		set(recordOf(b))
		once := b.protected(t, p)
		assert.NotContains(t, once, "S3CR3T", name)
		assert.Contains(t, once, "details: prompt: [redacted]", name)
		length, _ := recordOf(b).Attributes().Get("tc.content.length.log.vllm")
		assert.EqualValues(t, len("'S3CR3T'"), length.Int(), name)
		assert.Equal(t, once, b.protected(t, p), "a second collector")
	}
	b := newBatch()
	recordOf(b).Body().SetStr(line)
	recordOf(b).Attributes().PutStr("note", line)
	spanOf(b).Attributes().PutStr("message", line)
	b.protected(t, p)
	assert.Equal(t, want, recordOf(b).Body().Str())
	for _, attrs := range []pcommon.Map{recordOf(b).Attributes(), spanOf(b).Attributes()} {
		for key, value := range attrs.All() {
			if value.Type() == pcommon.ValueTypeStr {
				assert.Equal(t, line, value.Str(), key)
			}
		}
	}
}

// Keys of a scope are content only there, though the walk remembers its decisions.
func TestScopesOfSpans(t *testing.T) {
	p := content.New(content.Config{}, nil)
	w := New(p, func(*content.Rule, content.Action, int64) {})
	for range 2 {
		for scope, want := range map[string]string{"pydantic-ai": "[redacted]", "shop": "S3CR3T", "crewai.telemetry": "S3CR3T"} {
			b := newBatch()
			b.traces.ResourceSpans().At(0).ScopeSpans().At(0).Scope().SetName(scope)
			spanOf(b).Attributes().PutStr("events", "S3CR3T")
			b.traces.ResourceSpans().At(0).Resource().Attributes().PutStr("events", "list")
			w.Traces(b.traces)
			value, _ := spanOf(b).Attributes().Get("events")
			assert.Equal(t, want, value.Str(), scope)
			value, _ = b.traces.ResourceSpans().At(0).Resource().Attributes().Get("events")
			assert.Equal(t, "list", value.Str(), scope)
		}
	}
}

// A text that stays in one place is protected in another one all the same.
func TestUnchangedTexts(t *testing.T) {
	services := map[string]content.Service{"agent": {Models: true}, "open": {Models: true, Action: content.Keep}}
	p := content.NewWith(content.Config{Allow: []string{"allowed"}}, services, nil)
	places := map[string]func(plog.LogRecord, string){
		"name":    func(r plog.LogRecord, text string) { r.SetEventName(text) },
		"body":    func(r plog.LogRecord, text string) { r.Body().SetStr(text) },
		"key":     func(r plog.LogRecord, text string) { r.Attributes().PutStr("key", text) },
		"allowed": func(r plog.LogRecord, text string) { r.Attributes().PutStr("allowed", text) },
		"message": func(r plog.LogRecord, text string) { r.Attributes().PutStr("exception.message", text) },
		"path":    func(r plog.LogRecord, text string) { r.Attributes().PutStr("url.path", text) },
		"level":   func(r plog.LogRecord, text string) { r.SetSeverityText(text) },
		"debug": func(r plog.LogRecord, text string) {
			r.SetSeverityNumber(plog.SeverityNumberDebug)
			r.Attributes().PutStr("logger.name", "LiteLLM")
			r.Body().SetStr(text)
		},
	}
	type item struct{ service, place, text string }
	var items []item
	for _, service := range []string{"shop", "agent", "open"} {
		for place := range places {
			for _, text := range []string{"prompt='my words'", "/hook?api_key=S3CR3T", "password: S3CR3T", "a plain text"} {
				items = append(items, item{service, place, text})
			}
		}
	}
	protected := func(w *Walk, i item) string {
		ld := plog.NewLogs()
		rl := ld.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr("service.name", i.service)
		places[i.place](rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty(), i.text)
		w.Logs(ld)
		text, _ := (&plog.JSONMarshaler{}).MarshalLogs(ld)
		return string(text)
	}
	walk := func() *Walk { return New(p, func(*content.Rule, content.Action, int64) {}) }
	for _, first := range items {
		for _, second := range items {
			if first.text != second.text {
				continue
			}
			w := walk()
			protected(w, first)
			if want, got := protected(walk(), second), protected(w, second); want != got {
				assert.Equal(t, want, got, "%v, then %v", first, second)
			}
		}
	}
}
