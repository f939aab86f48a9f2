// SPDX-License-Identifier: Apache-2.0

package content

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// Command lines of testdata/commands.yaml, once and again.
func TestCommandLines(t *testing.T) {
	p := New(Config{}, nil)
	for _, row := range testfiles.Cases[[2]string](t, "testdata/commands.yaml") {
		got := p.ScrubURLs(Command, row[0])
		assert.Equal(t, row[1], got, row[0])
		assert.Equal(t, got, p.ScrubURLs(Command, got), "twice")
	}
	for _, hostile := range []string{`"`, " ", "a=", "--token ", "-"} {
		_ = p.ScrubURLs(Command, strings.Repeat(hostile, 1<<18))
	}
}

func TestArguments(t *testing.T) {
	p := New(Config{}, nil)
	scrub := func(arguments ...string) []string {
		var option Option
		for i := range arguments {
			arguments[i], option = p.ScrubArgument(arguments[i], option)
		}
		return arguments
	}
	for range 2 {
		assert.Equal(t, []string{"vllm", "--api-key", "REDACTED", "--model", "x"}, scrub("vllm", "--api-key", "S T", "--model", "x"))
		assert.Equal(t, []string{"--hf-token=REDACTED", "--password", "--x"}, scrub("--hf-token=S T", "--password", "--x"))
		assert.Equal(t, []string{"sh", "-c", "x --token REDACTED"}, scrub("sh", "-c", "x --token S"))
		assert.Equal(t, []string{"https://REDACTED@h/", "--key", "x"}, scrub("https://u:S@h/", "--key", "x"))
		assert.Equal(t, []string{"curl", "https://REDACTED@h/?token=REDACTED"}, scrub("curl", "https://u:S@h/?token=S"))
	}
	keep := New(Config{Secrets: Keep}, nil)
	clean, _ := keep.ScrubArgument("--token=S", noOption)
	assert.Equal(t, "--token=S", clean)
}
