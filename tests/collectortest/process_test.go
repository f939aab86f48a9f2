// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startShell runs a script and waits until it has written "ready" to stderr.
func startShell(t *testing.T, script string) *process {
	t.Helper()
	p, err := startProcess("/bin/sh", []string{"-c", script}, os.Environ())
	require.NoError(t, err)
	Eventually(t, 10*time.Second, func() (bool, string) {
		return p.stderr.String() == "ready\n", "stderr: " + p.stderr.String()
	})
	return p
}

func TestStopLetsTheProcessEnd(t *testing.T) {
	p := startShell(t, `trap "exit 3" TERM; echo ready >&2; while :; do sleep 0.01; done`)
	assert.True(t, p.running())

	exit, graceful, err := p.stop(10 * time.Second)
	require.NoError(t, err)
	assert.True(t, graceful)
	assert.Equal(t, 3, exit.Code)
	assert.False(t, p.running())
}

func TestStopKillsAProcessThatIgnoresSIGTERM(t *testing.T) {
	p := startShell(t, `trap "" TERM; echo ready >&2; while :; do sleep 0.01; done`)

	exit, graceful, err := p.stop(50 * time.Millisecond)
	require.NoError(t, err)
	assert.False(t, graceful)
	assert.Equal(t, -1, exit.Code)
	assert.GreaterOrEqual(t, exit.Took, 50*time.Millisecond)
}

func TestStopOfAProcessThatHasEnded(t *testing.T) {
	p := startShell(t, `echo ready >&2; exit 4`)
	<-p.ended

	exit, graceful, err := p.stop(time.Second)
	require.NoError(t, err)
	assert.True(t, graceful)
	assert.Equal(t, 4, exit.Code)
}
