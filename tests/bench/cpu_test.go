// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseMachineStat(t *testing.T) {
	got, err := parseMachineStat("cpu  100 20 3 4000 500 60 70 8 0 0\ncpu0 50 10 2 2000 250 30 35 4 0 0\n")
	require.NoError(t, err)
	require.Equal(t, 1230*time.Millisecond, got)

	_, err = parseMachineStat("intr 1 2 3 4\n")
	require.ErrorContains(t, err, "must begin with the times of all CPUs")
}

func TestParseStatus(t *testing.T) {
	got, err := parseStatus("Name:\tRssAnon: 1 kB\nVmHWM:\t  2048 kB\nVmRSS:\t  1 kB\nRssAnon:\t  1024 kB\nRssFile:\t   512 kB\nRssShmem:\t 0 kB\n")
	require.NoError(t, err)
	require.Equal(t, memory{peak: 2 << 20, anon: 1 << 20, file: 512 << 10}, got)

	_, err = parseStatus("Name:\tx\nVmHWM:\t  2048 kB\nRssFile:\t   512 kB\n")
	require.ErrorContains(t, err, "RssAnon: must be a number of kB")
}

// The formats above are what this kernel writes.
func TestOwnProcess(t *testing.T) {
	before, err := cpuTime(os.Getpid())
	require.NoError(t, err)
	for begin := time.Now(); time.Since(begin) < 10*time.Second; {
		used, err := cpuTime(os.Getpid())
		require.NoError(t, err)
		if used > before {
			m, err := memoryOf(os.Getpid())
			require.NoError(t, err)
			require.GreaterOrEqual(t, m.peak, m.anon)
			require.Positive(t, m.file)
			return
		}
	}
	t.Fatal("a busy loop used no CPU time")
}
