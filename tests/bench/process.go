// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
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
	// builtin begins the name of a configuration inside the binary.
	builtin = "builtin:"
)

// process is a collector that runs.
type process struct {
	pid    int
	memory memory // as seen last

	cancel context.CancelFunc
	exited chan struct{}
	log    bytes.Buffer // not to be read before exited is closed
}

// startProcess runs a collector until ctx is done or stop is called. Its
// configuration comes from its environment: nothing is left in a file.
func startProcess(ctx context.Context, binary string, configs []string, telemetry string, env []string) (*process, error) {
	_, telemetryPort, err := net.SplitHostPort(telemetry)
	if err != nil {
		return nil, err
	}
	p := &process{exited: make(chan struct{})}
	ctx, p.cancel = context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, binary)
	// The settings of Go's runtime are the binary's own.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "GOGC=") || strings.HasPrefix(variable, "GOMEMLIMIT=") || strings.HasPrefix(variable, "GOMAXPROCS=")
	})
	cmd.Env = append(cmd.Env, env...)
	cmd.Env = append(cmd.Env, "BENCH_TELEMETRY_PORT="+telemetryPort)
	for i, text := range append([]string{config("common")}, configs...) {
		if strings.HasPrefix(text, builtin) {
			cmd.Args = append(cmd.Args, "--config", text)
			continue
		}
		variable := fmt.Sprint("BENCH_CONFIG_", i)
		cmd.Args = append(cmd.Args, "--config", "env:"+variable)
		cmd.Env = append(cmd.Env, variable+"="+text)
	}
	cmd.Stderr = &p.log
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
