// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-tc/otelcol-tc/tests/program"
)

const (
	// startDeadline is long: machines may be busy.
	startDeadline = time.Minute
	// stopGrace is the time between SIGTERM and SIGKILL.
	stopGrace = 5 * time.Second
)

// process is a collector that runs.
type process struct {
	*program.Program
	pid int
	// garbage is what GODEBUG=gctrace=1 says.
	garbage gcTrace
}

// startProcess runs a collector until stop is called.
func startProcess(binary string, args, env []string, telemetry string) (*process, error) {
	_, telemetryPort, err := net.SplitHostPort(telemetry)
	if err != nil {
		return nil, err
	}
	p, cmd := &process{}, exec.Command(binary, args...)
	// The settings of Go's runtime are the binary's own.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "GOGC=") || strings.HasPrefix(variable, "GOMEMLIMIT=") || strings.HasPrefix(variable, "GOMAXPROCS=")
	})
	cmd.Env = append(cmd.Env, env...)
	cmd.Env = append(cmd.Env, "BENCH_TELEMETRY_PORT="+telemetryPort)
	cmd.Stderr = &p.garbage
	if p.Program, err = program.Start(cmd); err != nil {
		return nil, fmt.Errorf("%w: run make bench-binaries", err)
	}
	p.pid = cmd.Process.Pid
	return p, nil
}

// stop ends the collector. Stopping again does nothing.
func (p *process) stop() { _, _ = p.Stop(stopGrace) }
