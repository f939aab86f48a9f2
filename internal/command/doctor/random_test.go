// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestRandomConfigurations changes the rules' test configurations at random: it removes or exchanges keys
// and values. Such configurations test more code than random text.
func TestRandomConfigurations(t *testing.T) {
	const each = 60
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	set := settings(t)
	random := rand.New(rand.NewPCG(1, 2))
	codes := map[int]int{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for range each {
			var document yaml.Node
			require.NoError(t, yaml.Unmarshal(content, &document))
			for range 1 + random.IntN(3) {
				mutate(&document, random)
			}
			mutated, err := yaml.Marshal(&document)
			require.NoError(t, err)
			code, _, errOut := runWith(t, set, "--config", "yaml:"+string(mutated))
			assert.Equal(t, code == exitUnreadable, errOut != "", "%s", mutated)
			codes[code]++
		}
	}
	assert.Greater(t, codes[exitFindings], each, "some configurations are readable")
	assert.Positive(t, codes[exitUnreadable], "some configurations are unreadable")
}

// mutate removes an entry of a mapping or a list, or replaces a node by another.
func mutate(document *yaml.Node, random *rand.Rand) {
	var parents []*yaml.Node
	walkNodes(document, func(node *yaml.Node) {
		if node.Kind != yaml.DocumentNode && len(node.Content) > 0 {
			parents = append(parents, node)
		}
	})
	if len(parents) == 0 {
		return
	}
	parent, other := parents[random.IntN(len(parents))], parents[random.IntN(len(parents))]
	width := 1
	if parent.Kind == yaml.MappingNode {
		width = 2
	}
	at := random.IntN(len(parent.Content)/width) * width
	if random.IntN(2) == 0 {
		parent.Content = append(parent.Content[:at:at], parent.Content[at+width:]...)
		return
	}
	// A copy, because a cyclic tree cannot be written.
	replacement := *other.Content[random.IntN(len(other.Content))]
	if replacement.Kind == yaml.ScalarNode {
		parent.Content[at+width-1] = &replacement
	}
}
