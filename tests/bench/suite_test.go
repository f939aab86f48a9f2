// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Each profile has limits to stock collectors: with a queue on disk, and with our compression or stock's. Ours is last.
func TestTrialsHaveLimits(t *testing.T) {
	loads, err := profileLoads(t.Context())
	require.NoError(t, err)
	for _, l := range loads {
		limits, pipelines := 0, l.pipelines()
		for _, p := range pipelines {
			if p.maxOurs > 0 {
				limits++
			}
		}
		require.Equal(t, shipped, pipelines[len(pipelines)-1].build)
		if _, ok := l.requests(); ok {
			require.GreaterOrEqual(t, limits, 2, l)
		}
	}
}
