// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPagesAreGenerated(t *testing.T) {
	for path, write := range pages {
		committed, err := os.ReadFile("../../" + path)
		require.NoError(t, err)
		generated, err := write("../..")
		require.NoError(t, err)
		assert.Equal(t, string(generated), string(committed), "%s: run make generate", path)
	}
}

func TestFirstSentence(t *testing.T) {
	f := func(want, text string) {
		t.Helper()
		got, err := firstSentence(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	f("vLLM: LLM serving.", "# yaml-language-server: $schema=schema.json\n# vLLM: LLM serving.\n#\n# Read: vllm 0.33.0\nsystem: vllm\n")
	f("Runs on every node, by example.com.", "# builtin:agent — Runs on every node,\n# by example.com. It sends.\n")
	_, err := firstSentence("# nothing here\n\n# A sentence.\n")
	assert.EqualError(t, err, `the comment at the head must begin with a sentence that says what the file is (got "nothing here")`)
}
