// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each built-in pack that owns metrics says what a running system sends.
func TestBuiltinPacksExpect(t *testing.T) {
	packs, err := Load([]any{"cadvisor", "dcgm", "fastdeploy", "kube", "node", "pytango", "tensorcast", "tuft"})
	require.NoError(t, err)
	for _, pack := range packs {
		assert.NotZero(t, len(pack.Expect.Metrics)+len(pack.Expect.Components)+len(pack.Expect.Edges), pack.System)
	}
}
