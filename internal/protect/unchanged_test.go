// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
)

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
