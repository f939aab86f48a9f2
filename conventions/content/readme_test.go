// SPDX-License-Identifier: Apache-2.0

package content

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// The README lists everything that the package knows.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var lists map[string]any
	require.NoError(t, yaml.Unmarshal(modelsYAML, &lists))
	for name := range lists {
		assert.Contains(t, string(readme), "`"+name+"`")
	}
	for _, source := range logLines().Sources {
		assert.Contains(t, string(readme), " | `"+source.Label+"` |")
	}
	for _, key := range logLines().Keys {
		assert.Contains(t, string(readme), "`"+key+"`")
	}
	for _, names := range [][]string{plain[:len(plain)-1], events, placeholders[1:], {"names", "words", "parts", "wholes", "parameters", "other_things", "no_credentials", "facts", "properties"}} {
		for _, name := range names {
			assert.Contains(t, string(readme), "`"+name+"`")
		}
	}
}
