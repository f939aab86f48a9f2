// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Each gets as many items as it is said to, and a gateway nothing that is left to merge.
func TestProfilesGetTheirItems(t *testing.T) {
	loads, err := profileLoads(t.Context())
	require.NoError(t, err)
	profiles := map[string]int{}
	for _, l := range loads {
		profiles[l.profile.name]++
		of, ok := l.load.(otlpLoad)
		if !ok {
			continue
		}
		switch of.signal {
		case "traces":
			require.Len(t, readTraces(t, of.request), int(l.items))
		case "metrics":
			require.Len(t, readMetrics(t, of.request), int(l.items))
		default:
			require.Len(t, readLogs(t, of.request), int(l.items))
		}
		if of.signal == "metrics" && of.variant == fromAgent {
			again, items, err := merge(t.Context(), of.request)
			require.NoError(t, err)
			require.Equal(t, l.items, items)
			require.Len(t, again, len(of.request))
		}
	}
	require.Equal(t, map[string]int{agentProfile.name: 5, gatewayProfile.name: 3}, profiles)
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

func TestSinkCountsWhatComes(t *testing.T) {
	s, err := newSink()
	require.NoError(t, err)
	defer func() { require.NoError(t, s.close()) }()

	connection, err := grpc.NewClient(s.grpcAddress, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(encoded{})))
	require.NoError(t, err)
	defer connection.Close()
	var response []byte
	require.NoError(t, connection.Invoke(t.Context(), "/any.Service/Export", make([]byte, 300), &response))
	require.Empty(t, response)
	require.Equal(t, int64(300), s.bytes.Load())

	answer, err := http.Post("http://"+s.httpAddress+"/v1/traces", "application/x-protobuf", strings.NewReader("12345"))
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Empty(t, body)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Equal(t, int64(305), s.bytes.Load())
}

func TestDiskUsed(t *testing.T) {
	dir := t.TempDir()
	used, err := diskUsed(dir)
	require.NoError(t, err)
	require.Zero(t, used)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "queue"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "queue", "a"), make([]byte, 10_000), 0o600))
	used, err = diskUsed(dir)
	require.NoError(t, err)
	require.GreaterOrEqual(t, used, int64(10_000))
	_, err = diskUsed(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
