// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// startDeadline is long: machines may be busy.
	startDeadline = time.Minute
	// stopGrace is the time between SIGTERM and SIGKILL.
	stopGrace = 5 * time.Second
)

// process is a collector that runs.
type process struct {
	pid int

	cancel context.CancelFunc
	exited chan struct{}
	log    bytes.Buffer // not to be read before exited is closed
	// garbage is what GODEBUG=gctrace=1 says.
	garbage gcTrace
}

// startProcess runs a collector until ctx is done or stop is called.
func startProcess(ctx context.Context, binary string, args, env []string, telemetry string) (*process, error) {
	_, telemetryPort, err := net.SplitHostPort(telemetry)
	if err != nil {
		return nil, err
	}
	p := &process{exited: make(chan struct{})}
	ctx, p.cancel = context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, binary, args...)
	// The settings of Go's runtime are the binary's own.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "GOGC=") || strings.HasPrefix(variable, "GOMEMLIMIT=") || strings.HasPrefix(variable, "GOMAXPROCS=")
	})
	cmd.Env = append(cmd.Env, env...)
	cmd.Env = append(cmd.Env, "BENCH_TELEMETRY_PORT="+telemetryPort)
	cmd.Stderr = io.MultiWriter(&p.log, &p.garbage)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopGrace
	if err := cmd.Start(); err != nil {
		p.cancel()
		return nil, fmt.Errorf("%w: run make bench-binaries", err)
	}
	p.pid = cmd.Process.Pid
	go func() {
		defer close(p.exited)
		if err := cmd.Wait(); err != nil {
			fmt.Fprintln(&p.log, err)
		}
	}()
	return p, nil
}

// stop ends the collector. Stopping again does nothing.
func (p *process) stop() {
	p.cancel()
	<-p.exited
}
