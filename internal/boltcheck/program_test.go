// SPDX-License-Identifier: Apache-2.0

package boltcheck

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// removedVariable makes TestChecksWithoutTheBinary the process whose binary is removed.
const removedVariable = "BOLTCHECK_TEST_REMOVED"

func TestChecksWithoutTheBinary(t *testing.T) {
	if path := os.Getenv(removedVariable); path != "" {
		require.NoError(t, os.Remove(os.Args[0]))
		require.NoError(t, json.NewEncoder(os.Stderr).Encode(Check(t.Context(), []string{path})))
		os.Exit(0)
	}
	if _, err := os.Stat("/proc/self/exe"); err != nil {
		t.Skip("only Linux finds a binary that was removed")
	}
	path, binary := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "binary")
	require.NoError(t, os.WriteFile(path, small(t), 0o600))
	program, err := os.ReadFile(os.Args[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(binary, program, 0o700))
	cmd := exec.Command(binary, "-test.run", "^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), removedVariable+"="+path)
	said, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var results []Result
	require.NoError(t, json.NewDecoder(said).Decode(&results))
	assert.Equal(t, []Result{{File: path}}, results)
	require.NoError(t, cmd.Wait())
}
