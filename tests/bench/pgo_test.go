// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/pprof"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProfilesAreFetchedAndMerged(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.String() != "/debug/pprof/profile?seconds=10" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if err := pprof.StartCPUProfile(w); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		for begin := time.Now(); time.Since(begin) < 50*time.Millisecond; {
			continue
		}
		pprof.StopCPUProfile()
	}))
	defer server.Close()
	dir := t.TempDir()
	var parts []string
	for _, name := range []string{"a", "b"} {
		parts = append(parts, filepath.Join(dir, name))
		require.NoError(t, fetchProfile(t.Context(), server.Listener.Addr().String(), filepath.Join(dir, name)))
	}
	path := filepath.Join(dir, "merged")
	require.NoError(t, mergeProfiles(t.Context(), path, parts))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Positive(t, info.Size())
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
