// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	// pause is how long a target is left alone: the receivers' poll interval.
	pause = 200 * time.Millisecond
	// busy is the share of one CPU below which a target waits for something.
	busy = 0.1
	// readDeadline is what a file may take.
	readDeadline = time.Minute
)

// writer keeps a target busy with files: the next one appears when all lines of the
// last one have been accepted. Files come and go, as they do where logs are rotated,
// so that the disk needs to hold only one.
type writer struct {
	load      lineLoad
	dir       string
	telemetry string // address
	files     int    // written
	accepted  int64  // lines, as far as they have been asked for
}

func (w *writer) env() []string {
	files := filepath.Join(w.dir, "*.log")
	return []string{"BENCH_LOG_FILES=" + files, fmt.Sprintf("OTELCOL_TC_LOG_FILES=[%q]", files)}
}

// ready waits until the target's own metrics can be scraped.
func (w *writer) ready(ctx context.Context) error {
	for {
		_, err := acceptedLines(ctx, w.telemetry)
		if err == nil || ctx.Err() != nil {
			return err
		}
		wait(ctx, pause)
	}
}

// measure has the target read one file.
func (w *writer) measure(ctx context.Context, t *target, _ time.Duration) (slice, error) {
	name := filepath.Join(w.dir, fmt.Sprint(w.files))
	if err := w.load.write(name, w.files); err != nil {
		return slice{}, err
	}
	w.files++
	begin, err := t.read(w.items)
	if err != nil {
		return slice{}, err
	}
	// The target sees the file whole, and our writing is not a part of its slice.
	if err := os.Rename(name, name+".log"); err != nil {
		return slice{}, err
	}
	if err := w.finish(ctx, t.process); err != nil {
		return slice{}, err
	}
	end, err := t.read(w.items)
	if err != nil {
		return slice{}, err
	}
	return begin.until(end), os.Remove(name + ".log")
}

func (w *writer) items() int64 { return w.accepted }

// finish waits until all lines have been accepted. To answer costs the target CPU
// time, so it is asked only when it has come to rest.
func (w *writer) finish(ctx context.Context, p *process) error {
	ctx, cancel := context.WithTimeout(ctx, readDeadline)
	defer cancel()
	want := int64(w.files) * int64(len(w.load.starts))
	for w.accepted < want {
		err := w.ask(ctx, p)
		if err != nil && ctx.Err() != nil {
			return fmt.Errorf("%d of %d lines were accepted: %w", w.accepted, want, ctx.Err())
		}
		if err != nil {
			return err
		}
	}
	if w.accepted > want {
		return fmt.Errorf("%d lines were accepted, of %d", w.accepted, want)
	}
	return nil
}

// ask reads how many lines a target has accepted, once it rests.
func (w *writer) ask(ctx context.Context, p *process) error {
	resting, err := p.rests(ctx)
	if err != nil {
		return err
	}
	if !resting {
		return ctx.Err()
	}
	accepted, err := acceptedLines(ctx, w.telemetry)
	if err == nil {
		w.accepted = accepted
	}
	return err
}

// rests leaves the target alone for a while, and reports whether it had little to do.
func (p *process) rests(ctx context.Context) (bool, error) {
	before, err := cpuTime(p.pid)
	if err != nil {
		return false, err
	}
	wait(ctx, pause)
	after, err := cpuTime(p.pid)
	return (after - before).Seconds() < busy*pause.Seconds(), err
}

func (w *writer) close() error { return os.RemoveAll(w.dir) }
