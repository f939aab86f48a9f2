// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
)

// Free text in places where it does not look like it, of telemetry about calls to models.
func TestUnlikelyPlaces(t *testing.T) {
	for name, set := range map[string]func(b batch, attrs pcommon.Map){
		"arguments": func(_ batch, attrs pcommon.Map) {
			attrs.PutEmptySlice("process.command_args").FromRaw([]any{"claude", "-p", "my S3CR3T"}) //nolint:errcheck // texts
		},
		"command line": func(_ batch, attrs pcommon.Map) { attrs.PutStr("process.command_line", "claude -p my S3CR3T") },
		"words": func(_ batch, attrs pcommon.Map) {
			attrs.PutEmptySlice("app.note").FromRaw([]any{"The", "SECRET", "is", "not", "known"}) //nolint:errcheck // texts
		},
		"entities":         func(_ batch, attrs pcommon.Map) { attrs.PutStr("app.note", "I&nbsp;have&nbsp;S3CR3T") },
		"quoted printable": func(_ batch, attrs pcommon.Map) { attrs.PutStr("app.note", "I=20have=20S3CR3T") },
		"type":             func(_ batch, attrs pcommon.Map) { attrs.PutStr("error.type", "my S3CR3T") },
		"model":            func(_ batch, attrs pcommon.Map) { attrs.PutStr("gen_ai.response.model", "my S3CR3T") },
		"name of an event": func(_ batch, attrs pcommon.Map) { attrs.PutStr("event.name", "my S3CR3T") },
		"severity": func(b batch, _ pcommon.Map) {
			recordOf(b).Attributes().PutStr("gen_ai.system", "x")
			recordOf(b).SetSeverityText("my S3CR3T")
		},
		"form of credential": func(_ batch, attrs pcommon.Map) { attrs.PutStr("app.ref", "tvly-S3CR3T0123456789") },
	} {
		b := newBatch()
		attrs := spanOf(b).Attributes()
		attrs.PutStr("gen_ai.operation.name", "chat")
		set(b, attrs)
		once := b.protected(t, content.New(content.Config{}, nil))
		assert.NotRegexp(t, "S3CR3T|SECRET", once, name)
		assert.Equal(t, once, b.protected(t, content.New(content.Config{}, nil)), "a second collector: %s", name)
	}
}
