// SPDX-License-Identifier: Apache-2.0

// Package program runs programs that tests and tools talk to.
package program

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Program is a started program. Its methods are safe for concurrent use.
type Program struct {
	*exec.Cmd
	// Ended is closed when the program has ended and its log is complete.
	Ended chan struct{}
	log   buffer
}

// Start runs a command until it ends by itself or is stopped. It keeps what the command writes.
func Start(cmd *exec.Cmd) (*Program, error) {
	p := &Program{Cmd: cmd, Ended: make(chan struct{})}
	cmd.Stderr = io.MultiWriter(&p.log, cmp.Or[io.Writer](cmd.Stderr, io.Discard))
	cmd.Stdout = cmd.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.Ended)
		// Wait's error is not needed: it sets ProcessState in any case.
		_ = cmd.Wait()
	}()
	return p, nil
}

// Stop asks the program to end, and kills it after grace. It reports whether the program ended without being killed.
func (p *Program) Stop(grace time.Duration) (graceful bool, err error) {
	if err := p.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return false, err
	}
	select {
	case <-p.Ended:
		return true, nil
	case <-time.After(grace):
	}
	if err := p.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return false, err
	}
	<-p.Ended
	return false, nil
}

// Kill ends the program with SIGKILL. It returns an error if the program has ended before.
func (p *Program) Kill() error {
	err := p.Process.Kill()
	if err == nil {
		<-p.Ended
	}
	return err
}

// Running reports whether the program still runs.
func (p *Program) Running() bool {
	select {
	case <-p.Ended:
		return false
	default:
		return true
	}
}

// Log returns what the program has written so far.
func (p *Program) Log() string { return p.log.String() }

// buffer is safe for concurrent use.
type buffer struct {
	mu      sync.Mutex
	content bytes.Buffer // guarded by mu
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.content.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.content.String()
}
