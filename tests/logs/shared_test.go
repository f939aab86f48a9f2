// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// The lines of several processes in one file come out as the records of each, over kills between any two
// lines. Nothing is lost or doubled, and of a progress bar the last state is left.
func TestSharedFileOverKills(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	backend := startLogBackend(t)
	options := fileToBackend(dir, backend)
	// Longer than a start takes: a record that waits for too long is complete.
	options.Configs = append(options.Configs, "yaml:receivers::runtime_log::flush_timeout: 8s")
	path := filepath.Join(dir, "engine.log")
	stamp := time.Now().Format("01-02 15:04:05")
	var want []string
	var texts []string
	for i := range 3 {
		for _, process := range []string{"EngineCore_DP0 pid=7", "Worker_TP1 pid=8"} {
			texts = append(texts, fmt.Sprintf("\x1b[1;36m(%s)\x1b[0;0m ERROR %s [core.py:12] %s %d", process, stamp, process, i))
		}
		for _, process := range []string{"EngineCore_DP0 pid=7", "Worker_TP1 pid=8"} {
			texts = append(texts, fmt.Sprintf("\x1b[1;36m(%s)\x1b[0;0m Traceback (most recent call last):", process), fmt.Sprintf("(%s)   File %q", process, process))
			want = append(want, fmt.Sprintf("%s %d\nTraceback (most recent call last):\n  File %q", process, i, process))
		}
		texts = append(texts, fmt.Sprintf("(Worker_TP1 pid=8) \rLoading: 0%%\rLoading: 50%%\rLoading: 100%% of %d", i))
		want = append(want, fmt.Sprintf("Loading: 100%% of %d", i))
	}
	texts = append(texts, "end")
	want = append(want, "end")
	for at, text := range texts {
		if at%4 == 0 {
			collectortest.AppendLines(t, path, text)
			continue
		}
		c := collectortest.Start(t, options)
		collectortest.AppendLines(t, path, text)
		collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
			return strings.Contains(positions(t, dir), endOf(t, path)), "the line is not read"
		})
		c.Kill(t)
	}
	c := collectortest.Start(t, options)
	backend.wait(t, len(want))
	require.Zero(t, c.Stop(t).Code)
	got := backend.received()
	slices.Sort(want)
	slices.Sort(got)
	assert.Equal(t, want, got)
}
