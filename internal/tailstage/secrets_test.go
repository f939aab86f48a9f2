// SPDX-License-Identifier: Apache-2.0

package tailstage

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/internal/livetail"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

const (
	secret  = "S3CR3T and more"
	service = "shop"
)

// policies are those with which nothing may be seen in the tail, also where it is exported.
func policies(t *testing.T, packs ...any) map[string]*policy.Policy {
	t.Helper()
	all := map[string]*policy.Policy{}
	for name, set := range map[string]func(*policy.Config){
		"enforce":   func(*policy.Config) {},
		"audit":     func(c *policy.Config) { c.Mode = "audit" },
		"keep":      func(c *policy.Config) { c.Content = content.Config{Default: content.Keep, Secrets: content.Keep} },
		"hash":      func(c *policy.Config) { c.Content.Default = content.Hash },
		"truncate":  func(c *policy.Config) { c.Content.Default = content.Truncate },
		"a service": func(c *policy.Config) { c.Services = map[string]policy.Service{service: {Content: content.Keep}} },
	} {
		c := policy.NewDefaultConfig()
		if len(packs) > 0 {
			c.Packs = packs
		}
		set(c)
		require.NoError(t, c.Validate())
		p, err := policy.New(*c)
		require.NoError(t, err)
		all[name] = p
	}
	return all
}

// batch has one item of each signal.
type batch struct {
	span   ptrace.Span
	record plog.LogRecord
	metric pmetric.MetricSlice

	resource pcommon.Resource
	scope    pcommon.InstrumentationScope
}

func newBatch() batch {
	b := batch{ptrace.NewSpan(), plog.NewLogRecord(), pmetric.NewMetricSlice(), pcommon.NewResource(), pcommon.NewInstrumentationScope()}
	b.resource.Attributes().PutStr("service.name", service)
	b.span.SetName("chat")
	b.span.Links().AppendEmpty()
	b.metric.AppendEmpty().SetEmptyHistogram().DataPoints().AppendEmpty()
	return b
}

func (b batch) point() pcommon.Map { return b.metric.At(0).Histogram().DataPoints().At(0).Attributes() }

// seen returns all that a person sees of a batch, as JSON.
func (b batch) seen(t *testing.T, p *policy.Policy) string {
	t.Helper()
	first, err := p.Tail().Poll(service, 0)
	require.NoError(t, err)
	stage := New(p, component.MustNewID("naming"), "traces")
	for _, look := range []Look{Span(b.resource, b.span), Log(b.resource, b.record), Metric(b.resource, b.metric, b.metric.At(0))} {
		stage.Begin(b.resource, b.scope, look).Done(false)
	}
	answer, err := p.Tail().Poll(service, first.Last)
	require.NoError(t, err)
	require.Len(t, answer.Pairs, 3)
	text, err := json.Marshal(answer)
	require.NoError(t, err)
	return string(text)
}

func requireHidden(t *testing.T, seen, of string) {
	t.Helper()
	require.NotContains(t, seen, "S3CR3T", of)
	require.NotContains(t, seen, base64.StdEncoding.EncodeToString([]byte(secret))[:8], of)
}

var shapes = map[string]func(v pcommon.Value){
	"text":  func(v pcommon.Value) { v.SetStr(secret) },
	"JSON":  func(v pcommon.Value) { v.SetStr(`[{"role":"user","content":"` + secret + `"}]`) },
	"texts": func(v pcommon.Value) { v.SetEmptySlice().AppendEmpty().SetStr(secret) },
	"maps":  func(v pcommon.Value) { v.SetEmptySlice().AppendEmpty().SetEmptyMap().PutStr("content", secret) },
	"map":   func(v pcommon.Value) { v.SetEmptyMap().PutEmptyMap("parts").PutStr("x", secret) },
	"bytes": func(v pcommon.Value) { v.SetEmptyBytes().FromRaw([]byte(secret)) },
}

// deep returns a map inside a list inside a map.
func deep(outer pcommon.Map) pcommon.Map {
	return outer.PutEmptyMap("outer").PutEmptySlice("list").AppendEmpty().SetEmptyMap()
}

var places = map[string]func(batch) pcommon.Map{
	"resource":     func(b batch) pcommon.Map { return b.resource.Attributes() },
	"span":         func(b batch) pcommon.Map { return b.span.Attributes() },
	"span, deep":   func(b batch) pcommon.Map { return deep(b.span.Attributes()) },
	"link":         func(b batch) pcommon.Map { return b.span.Links().At(0).Attributes() },
	"record":       func(b batch) pcommon.Map { return b.record.Attributes() },
	"record, deep": func(b batch) pcommon.Map { return deep(b.record.Attributes()) },
	"body":         func(b batch) pcommon.Map { return b.record.Body().SetEmptyMap() },
	"body, deep":   func(b batch) pcommon.Map { return deep(b.record.Body().SetEmptyMap()) },
	"point":        func(b batch) pcommon.Map { return b.point() },
}

// keyOf returns a key that a rule matches.
func keyOf(rule *content.Rule) string {
	key := strings.TrimSuffix(rule.Label, ".*")
	if rule.Secret {
		return "my." + strings.ReplaceAll(key, "*", "x")
	}
	return strings.ReplaceAll(key, "*", "0")
}

// TestNoKeyOfContentShowsItsValue puts the key of each rule into each place that is shown, with each shape of a
// value.
func TestNoKeyOfContentShowsItsValue(t *testing.T) {
	for name, p := range policies(t) {
		if testing.Short() && name != "audit" {
			continue // the race detector makes it slow
		}
		var keys []string
		for _, rule := range p.Content().Rules() {
			if key := keyOf(rule); p.Content().Key(key).Rule == rule && !rule.Name {
				keys = append(keys, key)
			}
		}
		require.Greater(t, len(keys), 150)
		for place, at := range places {
			for shape, set := range shapes {
				const some = 40 // of a map: fewer than are shown
				for from := 0; from < len(keys); from += some {
					b := newBatch()
					attrs := at(b)
					for _, key := range keys[from:min(from+some, len(keys))] {
						set(attrs.PutEmpty(key))
					}
					seen := b.seen(t, p)
					requireHidden(t, seen, strings.Join([]string{name, place, shape}, ", "))
					require.NotContains(t, seen, "tc.content.length", "the item did not come with it")
				}
			}
		}
	}
}

// TestNoTextShowsContent has what is hidden by other means than a key: names and URLs with secrets, lines of logs,
// events, commands and scopes.
func TestNoTextShowsContent(t *testing.T) {
	const line = "Request chatcmpl-1f details: prompt: 'S3CR3T'"
	for how, put := range map[string]func(batch){
		"name":    func(b batch) { b.span.SetName("GET /x?token=S3CR3T") },
		"event":   func(b batch) { b.record.SetEventName("GET /x?token=S3CR3T") },
		"URL":     func(b batch) { b.span.Attributes().PutStr("url.full", "https://me:S3CR3T@shop/?api_key=S3CR3T") },
		"label":   func(b batch) { b.point().PutStr("x", "https://me:S3CR3T@shop/") },
		"link":    func(b batch) { b.span.Links().At(0).Attributes().PutStr("x", "https://me:S3CR3T@shop/") },
		"command": func(b batch) { b.resource.Attributes().PutStr("process.command_line", "serve --api-key S3CR3T") },
		"line":    func(b batch) { b.record.Body().SetStr(line) },
		"bytes":   func(b batch) { b.record.Body().SetEmptyBytes().FromRaw([]byte(line)) },
		"list":    func(b batch) { b.record.Body().SetEmptySlice().AppendEmpty().SetStr(line) },
		"message": func(b batch) { b.record.Attributes().PutStr("message", line) },
		"body":    func(b batch) { b.record.SetEventName("gen_ai.user.message"); b.record.Body().SetStr("S3CR3T") },
		"old event": func(b batch) {
			b.record.Attributes().PutStr("event_name", "gen_ai.content.prompt")
			b.record.Body().SetEmptyMap().PutStr("content", "S3CR3T")
		},
		"scope": func(b batch) { b.scope.SetName("pydantic-ai"); b.span.Attributes().PutStr("events", "S3CR3T") },
		"logger": func(b batch) {
			b.scope.SetName("LiteLLM Router")
			b.record.SetSeverityNumber(plog.SeverityNumberDebug)
			b.record.Body().SetStr("S3CR3T")
		},
		"end of a long text": func(b batch) { b.record.Body().SetStr(strings.Repeat("x", livetail.MaxBody-20) + " " + line) },
		"large":              func(b batch) { b.span.Attributes().PutStr("x", strings.Repeat("S3CR3T", maxBytes)) },
	} {
		for name, p := range policies(t) {
			b := newBatch()
			put(b)
			requireHidden(t, b.seen(t, p), how+", "+name)
		}
	}
}

// TestNothingShowsWhatPacksHide has what packs call sensitive, and what they rename or copy to a key of content.
func TestNothingShowsWhatPacksHide(t *testing.T) {
	pack := filepath.Join(t.TempDir(), "shop.yaml")
	require.NoError(t, os.WriteFile(pack, []byte(`system: shop
owns: {resource: {service.name: [shop]}}
attributes:
  - {key: my_question, rename: gen_ai.prompt}
  - {key: my_badge, rename: shop.password}
  - {key: shop.asks, also: {key: gen_ai.input.messages}}
  - {key: old_asks, rename: shop.asks}
  - {key: card, sensitive: redact}
  - {key: face, sensitive: remove}
  - {key: seen, type: string}
messages:
  - {from: shop.talk, to: gen_ai.input.messages, form: openinference}
logs: {redact: ['card [^ ]+']}
`), 0o600))
	for name, p := range policies(t, pack) {
		for place, at := range places {
			for shape, set := range shapes {
				b := newBatch()
				keys := []string{"my_question", "my_badge", "shop.asks", "old_asks", "shop.talk.0.message.content", "card", "face"}
				if strings.Contains(place, "deep") || place == "body" {
					keys = keys[5:] // others are renamed among attributes only
				}
				for _, key := range keys {
					set(at(b).PutEmpty(key))
				}
				b.record.Attributes().PutStr("seen", "in the open")
				seen := b.seen(t, p)
				requireHidden(t, seen, strings.Join([]string{name, place, shape}, ", "))
				require.Contains(t, seen, "in the open")
			}
		}
		b := newBatch()
		b.record.Body().SetEmptyMap().PutEmptySlice("lines").AppendEmpty().SetStr("paid with card S3CR3T today")
		b.resource.Attributes().PutStr("card", secret)
		seen := b.seen(t, p)
		requireHidden(t, seen, name)
		assert.Contains(t, seen, "paid with [protected] today")
	}
}

// TestValuesShowNoContent has single values of data points, of which no owner is known.
func TestValuesShowNoContent(t *testing.T) {
	pack := filepath.Join(t.TempDir(), "shop.yaml")
	require.NoError(t, os.WriteFile(pack, []byte(`system: shop
owns: {resource: {service.name: [shop]}}
attributes:
  - {key: my_question, rename: gen_ai.prompt}
  - {key: shop.asks, also: {key: gen_ai.input.messages}}
  - {key: card, sensitive: redact}
  - {key: face, sensitive: remove}
`), 0o600))
	for name, p := range policies(t, pack) {
		values := NewValues(p)
		for shape, set := range shapes {
			value := pcommon.NewValueEmpty()
			set(value)
			for _, key := range []string{"my_question", "shop.asks", "card", "face", "gen_ai.prompt", "shop.password"} {
				requireHidden(t, values.Text(key, value), strings.Join([]string{name, shape, key}, ", "))
			}
			deep := pcommon.NewValueMap()
			set(deep.Map().PutEmptySlice("list").AppendEmpty().SetEmptyMap().PutEmpty("card"))
			requireHidden(t, values.Text("x", deep), name+", deep "+shape)
			requireHidden(t, values.Text("x", pcommon.NewValueStr("https://me:S3CR3T@shop/?api_key=S3CR3T")), name)
		}
		assert.Equal(t, "GET", values.Text("method", pcommon.NewValueStr("GET")))
		assert.Equal(t, "200", values.Text("code", pcommon.NewValueInt(200)))
		assert.Equal(t, Hidden, values.Text("x", pcommon.NewValueStr(strings.Repeat("S3CR3T", maxBytes))))
	}
}
