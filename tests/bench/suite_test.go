// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Each suite has its limits, measures nothing against a pipeline with one, and gives what it compares the same room or
// the one it is shipped with.
func TestSuitesHaveTheirLimits(t *testing.T) {
	f := func(name string, want ...float64) {
		t.Helper()
		asked, err := suitesNamed(name)
		require.NoError(t, err)
		trials, err := asked[0].trials(t.Context(), scope{signals: allSignals, attributes: []int{10}, full: true})
		require.NoError(t, err)
		var got []float64
		for _, trial := range trials {
			require.Zero(t, trial.pipelines[0].maxRatio)
			for _, p := range trial.pipelines {
				require.Equal(t, name == "equal", p.gc == equalRoom, "%s: %s", name, p)
				require.Equal(t, p.of == shipped, p.gc == unset, "%s: %s", name, p)
				if p.maxRatio > 0 {
					got = append(got, p.maxRatio)
				}
			}
		}
		require.Equal(t, want, got, name)
	}
	f("shipped", 0.95, 0.90, 0.85, 0.85)
	f("equal", 1.25, 1.20, 1.15, 1.15)
	f("files", 1./3)
	f("unowned", 1.05, 1.05, 1.05)

	_, err := signalsNamed("logs,profiles")
	require.EqualError(t, err, `--signals: must be of metrics, traces, logs (got "profiles")`)
	_, err = suitesNamed("equal,file")
	require.ErrorContains(t, err, `(got "file")`)
}

// A profile has each of our pipelines, and nothing of others.
func TestProfiledPipelines(t *testing.T) {
	trials, err := profiledTrials(t.Context())
	require.NoError(t, err)
	names := map[string]bool{}
	for _, trial := range trials {
		require.NotEmpty(t, trial.pipelines)
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

// Each profile is compared with stock collectors that only forward, with a queue in memory and on disk, and only these
// have limits.
func TestProfilesHaveTheirLimits(t *testing.T) {
	loads, err := profileLoads(t.Context())
	require.NoError(t, err)
	got := map[string][]float64{}
	for _, l := range loads {
		if l.items == 0 {
			continue
		}
		all := l.pipelines()
		require.Equal(t, l.profile.name, all[len(all)-1].name)
		var limits []float64
		for i, p := range all {
			require.Equal(t, i == len(all)-1, p.of == shipped, p.name)
			if p.maxOurs > 0 {
				limits = append(limits, p.maxOurs)
			}
		}
		got[l.profile.name+" "+l.load.(otlpLoad).signal] = limits
	}
	require.Equal(t, map[string][]float64{
		agentProfile.name + " metrics": {0.85, 0.50}, agentProfile.name + " traces": {0.85, 0.40}, agentProfile.name + " logs": {0.85, 0.40},
		gatewayProfile.name + " metrics": {1.30, 0.65}, gatewayProfile.name + " traces": {1.05, 0.50}, gatewayProfile.name + " logs": {1.10, 0.60},
	}, got)
}
