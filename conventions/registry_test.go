// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The golden file is a pack, so the test also proves that a pack can express the registry's rules.
func TestLoadRegistry(t *testing.T) {
	const golden = "testdata/registry/shop.pack.yaml"
	text, err := os.ReadFile(golden)
	require.NoError(t, err)
	want, err := Parse(golden, text)
	require.NoError(t, err)

	got, err := loadRegistry(Disk, "testdata/registry/shop")
	require.NoError(t, err)
	assert.Equal(t, want, got)
}
