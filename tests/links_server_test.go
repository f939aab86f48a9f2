package tests

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// server is a program that a test talks to.
type server struct {
	binary string
	args   []string
	env    []string // in addition to the test's own

	cmd   *exec.Cmd
	ended chan struct{}
	log   bytes.Buffer // complete when it has ended
}

// start runs the server until the test ends, and waits until it is ready. It returns the
// log of one that ended before.
func (s *server) start(t *testing.T, probe func() error) (log string, ready bool) {
	t.Helper()
	s.cmd = exec.CommandContext(t.Context(), s.binary, s.args...)
	s.cmd.Env = append(os.Environ(), s.env...)
	s.log.Reset()
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	// When the test ends; killed when that is not enough.
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	s.cmd.WaitDelay = 10 * time.Second
	require.NoError(t, s.cmd.Start())
	ended := make(chan struct{})
	s.ended = ended
	go func() {
		defer close(ended)
		_ = s.cmd.Wait() // it was told to end
	}()
	t.Cleanup(func() {
		<-ended
		if t.Failed() {
			t.Logf("log of %s:\n%s", s.binary, &s.log)
		}
	})
	running := true
	collectortest.Eventually(t, 30*time.Second, func() (bool, string) {
		select {
		case <-ended:
			running = false
			return true, ""
		default:
		}
		err := probe()
		ready = err == nil
		state := ""
		if !ready {
			state = err.Error()
		}
		return ready, s.binary + " is not ready: " + state
	})
	if !running {
		return s.log.String(), false
	}
	return "", true
}

// kill ends the server with SIGKILL.
func (s *server) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, s.cmd.Process.Kill())
	<-s.ended
}
