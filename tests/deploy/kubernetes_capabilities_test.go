// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

// An agent that is root without capabilities, as in its pod, reads logs that container runtimes
// close to all but root, and keeps its state. Without the API server it does so, too.
func TestKubernetesAgentNeedsNoCapabilities(t *testing.T) {
	setpriv, err := exec.LookPath("setpriv")
	if os.Getuid() != 0 || err != nil {
		t.Skip("needs root and setpriv")
	}
	wrapper := filepath.Join(t.TempDir(), "otelcol-tc")
	require.NoError(t, os.WriteFile(wrapper, fmt.Appendf(nil, "#!/bin/sh\nexec %s --no-new-privs --bounding-set=-all --inh-caps=-all %s \"$@\"\n",
		setpriv, collectortest.Binary(t)), 0o700))
	t.Setenv("OTELCOL_TC_BINARY", wrapper)

	logs := t.TempDir()
	dir := filepath.Join(logs, "models_server-0_6b1d7c9e-0f1d-4c7e-9a55-0c4b1e1a2f3d", "main")
	require.NoError(t, os.MkdirAll(dir, 0o750))
	write := func(dir string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "0.log"), []byte("2026-11-22T05:00:00.000000000Z stdout F ready\n"), 0o640))
	}
	write(dir)
	// Somebody else's, which root could read by a capability only.
	foreign := filepath.Join(logs, "models_other-0_0d5c9f52-5d6e-4f0c-8a53-3f1c3d1e9b7a", "main")
	require.NoError(t, os.MkdirAll(foreign, 0o750))
	write(foreign)
	require.NoError(t, os.Chown(filepath.Join(foreign, "0.log"), 65532, 65532))

	closed := collectortest.FreeAddress(t)
	a := startAgent(t, "node-a", kubeserver.WriteKubeconfig(t, "https://"+closed, collectortest.NewAuthority(t).File, "none"),
		map[string]string{"OTELCOL_TC_POD_LOG_FILES": fmt.Sprintf("[%q]", logs+"/*/*/*.log")})
	records := collectortest.AwaitRecords(t, a.backend, 1)
	assert.Equal(t, 1, records.LogRecordCount())
	pod, ok := records.ResourceLogs().At(0).Resource().Attributes().Get("k8s.pod.name")
	require.True(t, ok)
	assert.Equal(t, "server-0", pod.Str())
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return strings.Contains(a.Logs(), "permission denied"), "it has a capability, or has not looked"
	})
	assert.Zero(t, a.Stop(t).Code)
}
