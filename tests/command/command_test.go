// SPDX-License-Identifier: Apache-2.0

package command

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

func TestCommandComponents(t *testing.T) {
	result := collectortest.Run(t, "components")
	assert.Equal(t, 0, result.Code, result.Stderr)
	for _, name := range []string{"otlp", "prometheus", "file_log", "memory_limiter", "naming", "health_check"} {
		assert.Contains(t, result.Stdout, "- name: "+name+"\n")
	}
	assert.Contains(t, result.Stdout, "- scheme: builtin\n")
}

func TestCommandPrintConfigShowsTheMerge(t *testing.T) {
	mine := collectortest.WriteFile(t, "my.yaml", "exporters: {debug: {verbosity: detailed}}")

	result := collectortest.Run(t, "print-config", "--config", "builtin:dev", "--config", mine)
	assert.Equal(t, 0, result.Code, result.Stderr)
	assert.Contains(t, result.Stdout, "verbosity: Detailed", "from my.yaml")
	assert.Contains(t, result.Stdout, "translation_strategy: UnderscoreEscapingWithSuffixes", "from builtin:dev")
}

func TestConfigurationErrorsNameKeyAndValue(t *testing.T) {
	f := func(config string, wantInError ...string) {
		t.Helper()
		result := collectortest.Run(t, "validate", "--config", "builtin:dev", "--config", config)
		assert.Equal(t, 1, result.Code)
		for _, want := range wantInError {
			assert.Contains(t, result.Stderr, want)
		}
	}
	f("yaml:processors::naming::mode: enforced", "naming", "mode", "enforced")
	f("yaml:processors::naming::modus: enforce", "naming", "modus")
	f("yaml:service::pipelines::traces::exporters: [jaeger]", "service::pipelines::traces", "jaeger")
	const ownRule = "{name: tuft.session, key: {span_attribute: model_id}, from: {}, to: {}}"
	const hidden = `rules.0.key.span_attribute: "model_id" of rule "tuft.session" is renamed to "tc.model.id" by the pack "tuft"`
	f("yaml:processors::span_link::rules: ["+ownRule+"]", "span_link", hidden)
	f("yaml:processors::log_correlation::rules: ["+ownRule+"]", "log_correlation", hidden)
	f("builtin:prod", `unknown built-in configuration "prod"`, "dev")
	f("/no/such/file.yaml", "/no/such/file.yaml")
}

// doctor is a command as the others are.
func TestCommandHelp(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		result := collectortest.Run(t, args...)
		assert.Equal(t, 0, result.Code, result.Stderr)
		assert.Contains(t, result.Stdout, want)
	}
	f("\n  doctor ", "--help")
	f("\n  migrate ", "--help")
	f("\nRules:\n", "help", "doctor")
	f("--feature-gates", "doctor", "--help")
	f("doctor", "__complete", "doc")
	f("otelcol-tc", "completion", "bash")
}
