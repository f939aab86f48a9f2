// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The chart's README has the settings that the chart has.
func TestREADMEIsCurrent(t *testing.T) {
	text, err := generate("../otelcol-tc/README.md", "../otelcol-tc/values.yaml")
	require.NoError(t, err)
	committed, err := os.ReadFile("../otelcol-tc/README.md")
	require.NoError(t, err)
	assert.Equal(t, string(text), string(committed), "run go generate ./deploy/helm/valuestable")
}

func TestSettingWithoutCommentIsRefused(t *testing.T) {
	dir := t.TempDir()
	readme, values := filepath.Join(dir, "README.md"), filepath.Join(dir, "values.yaml")
	require.NoError(t, os.WriteFile(readme, []byte(begin+end), 0o600))
	require.NoError(t, os.WriteFile(values, []byte("agent:\n  # On or off.\n  enabled: true\n  port: 1\n"), 0o600))
	_, err := generate(readme, values)
	assert.ErrorContains(t, err, "agent.port: needs a comment")
	require.NoError(t, os.WriteFile(values, []byte("agent:\n  # On or\n  # off | on.\n  enabled: true\n"), 0o600))
	text, err := generate(readme, values)
	require.NoError(t, err)
	assert.Contains(t, string(text), "| `agent.enabled` | `true` | On or off \\| on. |\n")
}
