// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// A comparison with another version of the same code would say nothing.
func TestPeersAreOfOurVersions(t *testing.T) {
	ours, peers := versionsIn(t, "../../go.mod"), versionsIn(t, "peers/go.mod")
	same := 0
	for module, version := range peers {
		if our, ok := ours[module]; ok {
			require.Equal(t, our, version, module)
			same++
		}
	}
	require.Greater(t, same, len(peers)/2)
	require.Contains(t, peers, "go.opentelemetry.io/collector/receiver/otlpreceiver")
}

func versionsIn(t *testing.T, path string) map[string]string {
	t.Helper()
	content, err := os.ReadFile(filepath.FromSlash(path))
	require.NoError(t, err)
	versions := map[string]string{}
	for _, match := range regexp.MustCompile(`(?m)^(?:require )?\s*(\S+\.\S+) (v\S+)`).FindAllStringSubmatch(string(content), -1) {
		versions[match[1]] = match[2]
	}
	return versions
}
