// SPDX-License-Identifier: Apache-2.0

package servers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
	"github.com/otelcol-tc/otelcol-tc/tests/program"
)

// Server is a program that a test talks to.
type Server struct {
	Binary string
	Args   []string
	Env    []string // in addition to the test's own

	*program.Program
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
	cmd := exec.Command(s.Binary, s.Args...)
	cmd.Env = append(os.Environ(), s.Env...)
	p, err := program.Start(cmd)
	require.NoError(t, err)
	s.Program = p
	// All servers of a test begin to end at the same time.
	context.AfterFunc(t.Context(), func() { _ = p.Process.Signal(syscall.SIGTERM) })
	t.Cleanup(func() {
		_, err := p.Stop(10 * time.Second)
		require.NoError(t, err)
		if t.Failed() {
			t.Logf("log of %s:\n%s", s.Binary, p.Log())
		}
	})
	collectortest.Eventually(t, time.Minute, func() (bool, string) {
		if !p.Running() {
			return true, ""
		}
		err := probe()
		ready = err == nil
		return ready, fmt.Sprintf("%s is not ready: %v", s.Binary, err)
	})
	return p.Log(), ready
}

// Kill ends the server with SIGKILL.
func (s *Server) Kill(t *testing.T) {
	t.Helper()
	require.NoError(t, s.Program.Kill())
}
