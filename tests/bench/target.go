package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/loopback"
)

const (
	startDeadline = 30 * time.Second
	// stopGrace is the time between SIGTERM and SIGKILL.
	stopGrace = 5 * time.Second
)

// target is a running collector and the load on it.
type target struct {
	*sender
	pid    int
	memory memory // the highest seen

	cancel context.CancelFunc
	exited chan struct{}
	log    bytes.Buffer // not to be read before exited is closed
}

// startTarget runs a collector until ctx is done or stop is called. Its
// configuration comes from its environment: nothing is left in a file.
func startTarget(ctx context.Context, binary string, p pipeline, gc garbage, l load) (*target, error) {
	endpoints, err := loopback.FreeAddresses(2)
	if err != nil {
		return nil, err
	}
	_, telemetryPort, err := net.SplitHostPort(endpoints[1])
	if err != nil {
		return nil, err
	}
	t := &target{exited: make(chan struct{})}
	if t.sender, err = newSender(endpoints[0], l); err != nil {
		return nil, err
	}
	ctx, t.cancel = context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, binary)
	cmd.Env = os.Environ()
	for i, config := range append([]string{passThroughConfig}, p.configs...) {
		variable := fmt.Sprint("BENCH_CONFIG_", i)
		cmd.Args = append(cmd.Args, "--config", "env:"+variable)
		cmd.Env = append(cmd.Env, variable+"="+config)
	}
	cmd.Env = append(cmd.Env,
		"BENCH_GRPC_ENDPOINT="+endpoints[0],
		"BENCH_TELEMETRY_PORT="+telemetryPort,
		"GOGC="+gc.gogc,
		"GOMEMLIMIT="+gc.limit,
	)
	cmd.Stderr = &t.log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopGrace
	if err := cmd.Start(); err != nil {
		t.cancel()
		return nil, errors.Join(err, t.close())
	}
	t.pid = cmd.Process.Pid
	go func() {
		defer close(t.exited)
		if err := cmd.Wait(); err != nil {
			fmt.Fprintln(&t.log, err)
		}
	}()
	if err := t.ready(ctx); err != nil {
		return nil, fmt.Errorf("start %s: %w", binary, t.failed(err))
	}
	return t, nil
}

// stop ends the collector. Stopping again does nothing.
func (t *target) stop() {
	_ = t.close()
	t.cancel()
	<-t.exited
}

// failed stops the collector and adds to an error what it has said.
func (t *target) failed(err error) error {
	t.stop()
	return fmt.Errorf("%w\n%s", err, t.log.Bytes())
}

// ready waits for the first request to be accepted.
func (t *target) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startDeadline)
	defer cancel()
	go func() {
		select {
		case <-t.exited:
			cancel()
		case <-ctx.Done():
		}
	}()
	return t.sendOne(ctx)
}
