// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Fields of an attribute that is content as a whole are copied before it is replaced, where the telemetry may
// be changed. The rest of it is gone.
func TestFieldsOfContent(t *testing.T) {
	const parameters = `{"temperature": 0.2, "max_tokens": 64, "stop": "END", "response_format": "S3CR3T", "model": "m"}`
	for _, test := range []struct {
		name, settings string
		copied         bool
		parameters     string
	}{
		{"redact", "", true, "[redacted]"},
		{"remove", "copied_attributes: remove", true, "[redacted]"},
		{"keep", "content: keep", true, parameters},
		{"audit", "mode: audit", false, "[redacted]"},
		{"audit one", "services: {llm*: {mode: audit}}", false, "[redacted]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := spanWith(t, "llm-1", "llm.invocation_parameters", parameters, "gen_ai.request.model", "first")
			out, counts := consumeTracesAt(t, hostWith(t, test.settings), defaultConfig(), in)
			got := attributesOf(out)
			assert.Empty(t, counts["violations"])
			assert.Equal(t, test.parameters, got["llm.invocation_parameters"])
			assert.Equal(t, "first", got["gen_ai.request.model"])
			if !test.copied {
				assert.NotContains(t, got, "gen_ai.request.temperature")
				return
			}
			assert.Equal(t, 0.2, got["gen_ai.request.temperature"])
			assert.Equal(t, int64(64), got["gen_ai.request.max_tokens"])
			assert.Equal(t, []any{"END"}, got["gen_ai.request.stop_sequences"])
		})
	}
}
