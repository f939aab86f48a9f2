// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// Agent and gateway take little memory while they have little to do, and give it back.
func TestMemoryOfProfiles(t *testing.T) {
	collectortest.NeedsMeasuring(t)
	r := runner{binaries: binaries{shipped: collectortest.Binary(t)}, lengths: memoryLengths}
	require.NoError(t, r.watchProfiles(t.Context(), []string{"metrics", "traces", "logs"}, func(p memoryPhase, name string, m memoryUse) {
		m.row(name)
		assert.LessOrEqual(t, m.median(), p.limit, name)
		if p.width == 0 || p.rate > 0 {
			assert.LessOrEqual(t, m.garbage.cpu.Seconds(), 0.05*m.wall.Seconds(), "%s: collections take too much of a core", name)
		}
	}))
}

func TestCollectionsAreReadFromTheTrace(t *testing.T) {
	var g gcTrace
	for _, part := range []string{"2026-11-28 info started\ngc 7 @5.225s 0%: 0.068+9.2+0.005 ms clock, ",
		"0.13+0.5/1.3/10+0.01 ms cpu, 51->52->15 MB, 61 MB goal, 0 MB stacks, 0 MB globals, 2 P (forced)\n", "gc"} {
		_, err := g.Write([]byte(part))
		require.NoError(t, err)
	}
	got := g.sum()
	assert.Equal(t, 1, got.number)
	assert.InDelta(t, 0.01194, got.cpu.Seconds(), 1e-9)
	assert.Equal(t, 15, got.alive)
}
