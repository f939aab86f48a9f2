// SPDX-License-Identifier: Apache-2.0

//go:build unix

package boltcheck

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pipe keeps a child waiting, as a slow disk does.
func TestChildrenEndWithTheirParent(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	child := exec.Command(os.Args[0], CommandName, "--", pipe)
	child.Env = append(os.Environ(), childVariable+"=1")
	stdin, err := child.StdinPipe()
	require.NoError(t, err)
	stdout, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	stop := time.AfterFunc(10*time.Second, func() { _ = child.Process.Kill() })
	defer stop.Stop()
	var name string
	require.NoError(t, json.NewDecoder(stdout).Decode(&name))
	assert.Equal(t, pipe, name)
	require.NoError(t, stdin.Close())
	_ = child.Wait()
	assert.Equal(t, 1, child.ProcessState.ExitCode())
}
