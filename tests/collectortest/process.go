// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Exit holds how a collector ended.
type Exit struct {
	// Code is the exit code. It is -1 if a signal killed the process.
	Code int
	// Took is the time from the stop request to the end of the process.
	Took time.Duration
}

// process is a started binary. Its methods are safe for concurrent use.
type process struct {
	cmd    *exec.Cmd
	stderr *logBuffer
	// ended is closed when the process has ended and stderr is complete.
	ended chan struct{}
}

// startProcess runs the binary until it ends by itself or is stopped.
func startProcess(binary string, args, env []string) (*process, error) {
	p := &process{
		cmd:    exec.Command(binary, args...),
		stderr: &logBuffer{},
		ended:  make(chan struct{}),
	}
	p.cmd.Env = env
	p.cmd.Stderr = p.stderr
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.ended)
		// Wait's error is not needed: it sets ProcessState in any case.
		_ = p.cmd.Wait()
	}()
	return p, nil
}

// stop asks the process to end, and kills it after grace. It reports whether the process ended without
// being killed.
func (p *process) stop(grace time.Duration) (exit Exit, graceful bool, err error) {
	begin := time.Now()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return Exit{}, false, err
	}
	graceful = true
	select {
	case <-p.ended:
	case <-time.After(grace):
		graceful = false
		if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return Exit{}, false, err
		}
		<-p.ended
	}
	return Exit{Code: p.cmd.ProcessState.ExitCode(), Took: time.Since(begin)}, graceful, nil
}

// running reports whether the process still runs.
func (p *process) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}
