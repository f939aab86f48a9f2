// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
)

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
