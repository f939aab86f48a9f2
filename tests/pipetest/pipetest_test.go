// SPDX-License-Identifier: Apache-2.0

package pipetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/attributesprocessor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const someSpans = `
resourceSpans:
  - scopeSpans:
      - spans:
          - name: A/B
            attributes:
              - {key: one, value: {stringValue: "1"}}
              - {key: two, value: {intValue: 2}}
`

// A mistake in a case is an error, and never a case that passes.
func TestErrorsInACase(t *testing.T) {
	f := func(config, input, wantErr string) {
		t.Helper()
		dir := t.TempDir()
		for name, content := range map[string]string{configFile: config, inputFile: input} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
		}
		_, err := process(t, attributesprocessor.NewFactory(), dir)
		assert.ErrorContains(t, err, dir+string(filepath.Separator)+wantErr)
	}
	const config = "actions: [{key: a, value: x, action: insert}]"
	f("actoins: []", someSpans, `config.yaml: decoding failed`)
	f("actions: []", someSpans, `config.yaml: missing required field "actions"`)
	f(config, "", "input.yaml: must have a document")
	f(config, "resourceSpan: []", `input.yaml: document 1: want resourceSpans, resourceMetrics or resourceLogs, got "resourceSpan"`)
	f(config, someSpans+"resourceLogs: []", `input.yaml: document 1: want one key`)
	f(config, someSpans+"---\nwait: soon", `input.yaml: document 2: time: invalid duration "soon"`)
	f(config, "resourceSpans: [{scopeSpans: [{spans: [{traceId: xyz}]}]}]", "input.yaml: document 1: ")
}
