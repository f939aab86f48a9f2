// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// releaseTool runs one of the programs that `make release-tools` builds, in the
// repository's folder.
func releaseTool(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), collectortest.Needs(t, "release-tools", filepath.Join(".tools/release", name)), args...)
	cmd.Dir, cmd.Env = "../..", append(os.Environ(), env...)
	return toolOutput(t, cmd)
}

// toolOutput runs a command that has to succeed and returns what it prints.
func toolOutput(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	require.NoError(t, err, "%s\n%s%s", cmd, stdout, &stderr)
	return string(stdout)
}

// releaseFolder is what `make dist/linux-<this architecture>` makes, of the binary under
// test: a folder with the binary and its inventory.
func releaseFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	content, err := os.ReadFile(collectortest.Binary(t))
	require.NoError(t, err)
	binary := filepath.Join(dir, "otelcol-tc")
	require.NoError(t, os.WriteFile(binary, content, 0o755))
	releaseTool(t, nil, "inventory", "-version", releaseVersion(t), "-output", dir, binary)
	return dir
}

// releaseVersion is the one in builder-config.yaml, which all else follows.
func releaseVersion(t *testing.T) string {
	t.Helper()
	manifest, err := os.ReadFile("../../builder-config.yaml")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^  version: (\S+)$`).FindSubmatch(manifest)
	require.NotNil(t, found, "builder-config.yaml has no dist.version")
	return string(found[1])
}

// ownHosts counts the addresses that tests of this process have.
var ownHosts atomic.Uint32

// ownEndpoints are variables of the profiles that let a collector listen on the ports of the
// profiles, at an address that no other has: all of 127.0.0.0/8 is this machine's.
func ownEndpoints() map[string]string {
	pid := os.Getpid()
	host := fmt.Sprintf("127.%d.%d.%d", 100+ownHosts.Add(1), pid>>8&0xff, pid&0xff)
	return map[string]string{
		"OTELCOL_TC_OTLP_GRPC_ENDPOINT":  host + ":4317",
		"OTELCOL_TC_OTLP_HTTP_ENDPOINT":  host + ":4318",
		"OTELCOL_TC_PROMETHEUS_ENDPOINT": host + ":9464",
		"OTELCOL_TC_HEALTH_ENDPOINT":     host + ":13133",
		"OTELCOL_TC_READINESS_ENDPOINT":  host + ":13134",
		"OTELCOL_TC_PAGE_ENDPOINT":       host + ":55690",
		"OTELCOL_TC_TELEMETRY_HOST":      host,
	}
}
