// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Each comparison has limits of ours, which is last.
func TestTrialsHaveLimits(t *testing.T) {
	f := func(trial trial, want int) {
		t.Helper()
		limits := 0
		for i, p := range trial.pipelines {
			if p.maxOurs > 0 {
				limits++
			}
			if i == len(trial.pipelines)-1 {
				require.Equal(t, shipped, p.of)
				require.Zero(t, p.maxOurs)
			}
		}
		require.Equal(t, want, limits, trial.load)
	}
	for _, s := range suites {
		trials, err := s.trials(t.Context(), scope{allSignals, []int{10}})
		require.NoError(t, err)
		require.NotEmpty(t, trials)
		for _, trial := range trials {
			f(trial, 1)
		}
	}
	loads, err := profileLoads(t.Context())
	require.NoError(t, err)
	for _, l := range loads {
		if l.items > 0 {
			f(trial{l, l.pipelines()}, 2) // stock with its queue in memory, and on disk: gains says so
		}
	}
}

func TestUnknownNames(t *testing.T) {
	_, err := signalsNamed("logs,profiles")
	require.EqualError(t, err, `--signals: must be of metrics, traces, logs (got "profiles")`)
	_, err = suitesNamed("shipped,file")
	require.ErrorContains(t, err, `(got "file")`)
}

// A CPU profile has each of our pipelines, and nothing of others.
func TestProfiledPipelines(t *testing.T) {
	trials, err := profiledTrials(t.Context())
	require.NoError(t, err)
	names := map[string]bool{}
	for _, trial := range trials {
		for _, p := range trial.pipelines {
			require.Equal(t, shipped, p.of)
			names[p.name] = true
		}
	}
	for _, name := range []string{
		"otlp → naming → cardinality → nop", "otlp → naming → span_link → nop", "otlp → naming → log_correlation → nop",
		"runtime_log → nop", agentProfile.name, gatewayProfile.name,
	} {
		require.True(t, names[name], name)
	}
}
