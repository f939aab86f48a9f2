// SPDX-License-Identifier: Apache-2.0

package pipetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/attributesprocessor"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/intervalprocessor"
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

func TestAllSignals(t *testing.T) {
	Run(t, attributesprocessor.NewFactory(), filepath.Join("testdata", "attributes"))
}

// The case waits two minutes, which shows that the interval processor has a fake clock.
func TestTimePasses(t *testing.T) {
	Run(t, intervalprocessor.NewFactory(), filepath.Join("testdata", "interval"))
}

func TestEveryDifferenceIsFound(t *testing.T) {
	f := func(output string, wantEqual bool) {
		t.Helper()
		dir := writeCase(t, "actions: [{key: three, value: x, action: insert}]", someSpans, output)
		got, err := process(t, attributesprocessor.NewFactory(), dir)
		require.NoError(t, err)
		difference, err := compare(dir, got)
		require.NoError(t, err)
		assert.Equal(t, wantEqual, difference == "", difference)
	}
	spans := func(attributes string) string {
		return `{resourceSpans: [{scopeSpans: [{spans: [{name: A/B, attributes: [` + attributes + `]}]}]}]}`
	}
	const (
		one   = `{key: one, value: {stringValue: "1"}}`
		two   = `{key: two, value: {intValue: "2"}}`
		three = `{key: three, value: {stringValue: x}}`
	)
	f(spans(one+","+two+","+three), true)
	f(spans(two+","+one+","+three), false)
	f(spans(one+","+two), false)
	f(spans(one+","+two+","+`{key: three, value: {stringValue: y}}`), false)
	f(spans(`{key: one, value: {intValue: 1}}`+","+two+","+three), false)
	f(spans(one+","+two+","+three)+"\n---\n"+spans(one), false)
	f("", false)
	f("resourceSpans: []", false)
}

func TestErrorsInACase(t *testing.T) {
	f := func(config, input, wantErr string) {
		t.Helper()
		dir := writeCase(t, config, input, "")
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

func TestUpdatedOutputPasses(t *testing.T) {
	dir := writeCase(t, "actions: [{key: three, value: x, action: insert}]", someSpans, "")
	t.Setenv(updateVariable, "1")
	check(t, attributesprocessor.NewFactory(), dir)
	t.Setenv(updateVariable, "")
	check(t, attributesprocessor.NewFactory(), dir)
}

// writeCase creates a case folder with the given files.
func writeCase(t *testing.T, config, input, output string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{configFile: config, inputFile: input, outputFile: output} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return dir
}
