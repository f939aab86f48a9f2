package collectortest

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Exit tells how a collector ended.
type Exit struct {
	// Code is the exit code, -1 after a signal that the process did not handle.
	Code int
	// Took is the time from the request to stop to the end of the process.
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
		// The outcome is read from ProcessState, which Wait sets in any case.
		_ = p.cmd.Wait()
	}()
	return p, nil
}

// stop asks the process to end and kills it when grace is over. It reports
// whether the process ended without being killed.
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

// running reports whether the process has not ended yet.
func (p *process) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}
