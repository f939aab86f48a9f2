// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The limits of each comparison, and that nothing is measured against a pipeline with one.
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
}

// Whatever a pipeline is compared with, it gets the same room or the one it is shipped with.
func TestGarbageIsNotMixed(t *testing.T) {
	for _, s := range suites {
		trials, err := s.trials(t.Context(), scope{signals: allSignals, attributes: []int{5}})
		require.NoError(t, err)
		for _, trial := range trials {
			for _, p := range trial.pipelines {
				require.Equal(t, s.name == "equal", p.gc == equalRoom, "%s: %s", s.name, p)
				require.Equal(t, p.of == shipped, p.gc == unset, "%s: %s", s.name, p)
			}
		}
	}
}

func TestScopeChooses(t *testing.T) {
	trials, err := shippedTrials(t.Context(), scope{signals: []string{"traces"}, attributes: []int{5}})
	require.NoError(t, err)
	require.Len(t, trials, 1)
	require.Equal(t, "traces, 5 attributes, 10 % keyed", trials[0].load.String())
	asked, err := suitesNamed("files")
	require.NoError(t, err)
	trials, err = asked[0].trials(t.Context(), scope{signals: []string{"traces"}, attributes: []int{5}})
	require.NoError(t, err)
	require.Empty(t, trials)
}

func TestGarbageEnvironment(t *testing.T) {
	t.Setenv("GOGC", "50")
	t.Setenv("GOMEMLIMIT", "1GiB")
	t.Setenv("GOMAXPROCS", "1")
	of := func(g garbage) (set []string) {
		for _, variable := range g.environment() {
			if name, _, _ := strings.Cut(variable, "="); slices.Contains([]string{"GOGC", "GOMEMLIMIT", "GOMAXPROCS"}, name) {
				set = append(set, variable)
			}
		}
		return set
	}
	require.Empty(t, of(unset))
	require.Equal(t, []string{"GOGC=off", "GOMEMLIMIT=512MiB"}, of(equalRoom))
}
