// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestQuartiles(t *testing.T) {
	f := func(want quartiles, values ...float64) {
		t.Helper()
		require.Equal(t, want, quartilesOf(values))
	}
	f(quartiles{7, 7, 7}, 7)
	f(quartiles{1.25, 1.5, 1.75}, 2, 1)
	f(quartiles{2, 3, 4}, 5, 1, 4, 2, 3)
	f(quartiles{1.75, 2.5, 3.25}, 4, 3, 2, 1)
}

// rounds are slices of one item, by the CPU time each used.
func rounds(cpu ...time.Duration) (turns []slice) {
	for _, used := range cpu {
		turns = append(turns, slice{cpu: used, wall: time.Second, items: 1})
	}
	return turns
}

func TestRatioIsRoundByRound(t *testing.T) {
	c := &comparison{
		trial: trial{otlpLoad{signal: "logs", attributes: 5}, []pipeline{{name: "nothing"}, {name: "something", of: shipped, maxRatio: 1.16}, {name: "other", of: stock}}},
		// The machine is ten times slower in the last round.
		slices: [][]slice{rounds(100, 100, 1000), rounds(110, 120, 1150), rounds(200, 200, 2000)},
	}
	require.InDelta(t, 1.15, c.ratio(1, 0).median, 1e-9)
	require.InDelta(t, 2, c.ratio(2, 0).upper, 1e-9)

	require.NoError(t, tooExpensive([]*comparison{c}))
	c.pipelines[1].maxRatio = 1.1
	require.EqualError(t, tooExpensive([]*comparison{c}),
		"--strict: a pipeline costs more than it may: 1.150 of at most 1.10 times the first for ours: something, logs, 5 attributes")
	c.pipelines[1].maxRatio, c.pipelines[2].maxCPU = 0, 199
	require.EqualError(t, tooExpensive([]*comparison{c}),
		"--strict: a pipeline costs more than it may: 200 ns of at most 199 an item for stock: other, logs, 5 attributes")

	// The last one of the second, round by round.
	c.pipelines[2].maxCPU, c.pipelines[1].maxOurs = 0, 1.74
	require.NoError(t, tooExpensive([]*comparison{c}))
	c.pipelines[1].maxOurs = 1.73
	require.EqualError(t, tooExpensive([]*comparison{c}),
		"--strict: a pipeline costs more than it may: ours 1.739 of at most 1.73 times it for ours: something, logs, 5 attributes")
}

func TestDisturbances(t *testing.T) {
	turns := rounds(1, 1, 1)
	turns[1].others, turns[2].others = time.Second/20, time.Second/5
	repeated, left := disturbances([]*comparison{
		{slices: [][]slice{turns}, repeated: 3},
		{slices: [][]slice{turns, turns}},
	})
	require.Equal(t, 3, repeated)
	require.Equal(t, 3, left)
}

func TestGains(t *testing.T) {
	load := otlpLoad{signal: "logs", attributes: 5}
	c := &comparison{
		trial:  trial{load, []pipeline{{name: "memory", maxOurs: 1}, {name: "disk", maxOurs: 1}, {name: "other"}, {name: "builtin:agent", of: shipped}}},
		slices: [][]slice{rounds(2000, 2000), rounds(4000, 4000), rounds(1, 1), rounds(1500, 1500)},
		memory: []memory{{}, {}, {}, {peak: 5 << 20}},
	}
	// Files are not compared with a stock collector that forwards.
	files := &comparison{trial: trial{load, []pipeline{{name: "file_log"}, {name: "builtin:agent"}}}, slices: [][]slice{rounds(1), rounds(1)}, memory: []memory{{}, {}}}
	require.Equal(t, "| load | profile | CPU µs an item | of stock, queue in memory | of stock, queue on disk | peak MiB |\n"+
		"| --- | --- | ---: | ---: | ---: | ---: |\n| logs, 5 attributes | `builtin:agent` | 1.5 | 0.75 | 0.38 | 5 |\n", gains([]*comparison{c, files}))
}
