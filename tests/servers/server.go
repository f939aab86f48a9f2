// SPDX-License-Identifier: Apache-2.0

package servers

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

// Server is a program that a test talks to.
type Server struct {
	Binary string
	Args   []string
	Env    []string // in addition to the test's own

	Cmd   *exec.Cmd
	Ended chan struct{}
	log   bytes.Buffer // complete when it has ended
}

// OnFreePorts starts what needs so many ports. Another process may take one before it listens, so that it is started
// again, on others.
func OnFreePorts(t *testing.T, ports int, start func(addresses []string) (log string, ready bool)) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		addresses, err := loopback.FreeAddresses(ports)
		require.NoError(t, err)
		log, ready := start(addresses)
		if ready {
			return
		}
		if attempt == 3 || !strings.Contains(strings.ToLower(log), "address already in use") {
			t.Fatalf("a server ended before it was ready:\n%s", log)
		}
	}
}

// Start runs the server until the test ends, and waits until it is ready. It returns the
// log of one that ended before.
func (s *Server) Start(t *testing.T, probe func() error) (log string, ready bool) {
	t.Helper()
	s.Cmd = exec.CommandContext(t.Context(), s.Binary, s.Args...)
	s.Cmd.Env = append(os.Environ(), s.Env...)
	s.log.Reset()
	s.Cmd.Stdout, s.Cmd.Stderr = &s.log, &s.log
	// When the test ends; killed when that is not enough.
	s.Cmd.Cancel = func() error { return s.Cmd.Process.Signal(syscall.SIGTERM) }
	s.Cmd.WaitDelay = 10 * time.Second
	require.NoError(t, s.Cmd.Start())
	ended := make(chan struct{})
	s.Ended = ended
	go func() {
		defer close(ended)
		_ = s.Cmd.Wait() // it was told to end
	}()
	t.Cleanup(func() {
		<-ended
		if t.Failed() {
			t.Logf("log of %s:\n%s", s.Binary, &s.log)
		}
	})
	running := true
	collectortest.Eventually(t, time.Minute, func() (bool, string) {
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
		return ready, s.Binary + " is not ready: " + state
	})
	if !running {
		return s.log.String(), false
	}
	return "", true
}

// Kill ends the server with SIGKILL.
func (s *Server) Kill(t *testing.T) {
	t.Helper()
	require.NoError(t, s.Cmd.Process.Kill())
	<-s.Ended
}
