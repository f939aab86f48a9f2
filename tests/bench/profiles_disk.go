// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"
)

// queuedRequests are sent while nobody takes them. They fit into the queue.
const queuedRequests = 400

// outage is what an outage of the next hop cost.
type outage struct {
	bytes   float64 // of an item on disk
	drained float64 // items a second after it
	ratio   float64 // of items that leave the queue to those that come meanwhile, at half of full speed
}

// outage sends a profile requests that nobody takes, and then lets somebody take them: once while nothing else comes,
// and once while new ones come at half of full speed. Lines of files take no disk: the files are their queue.
func (l *profileLoad) outage(ctx context.Context, binaries binaries, fullSpeed float64) (o outage, err error) {
	requests, ok := l.requests()
	if !ok {
		return o, nil
	}
	t, err := binaries.startTarget(ctx, l.profile, l)
	if err != nil {
		return o, err
	}
	defer t.stop()
	if err := t.rest(ctx); err != nil {
		return o, err
	}
	before, err := diskUsed(t.state)
	if err != nil {
		return o, err
	}
	if err := t.fill(ctx); err != nil {
		return o, t.failed(err)
	}
	after, err := diskUsed(t.state)
	if err == nil && after == before {
		err = fmt.Errorf("%s: nothing was queued", l.profile.name)
	}
	if err != nil {
		return o, err
	}
	items := float64(queuedRequests * requests.items)
	o.bytes = float64(after-before) / items
	took, err := t.drained(ctx)
	if err != nil {
		return o, err
	}
	o.drained = items / took.Seconds()
	if err := t.fill(ctx); err != nil {
		return o, t.failed(err)
	}
	came, err := t.drainedUnderLoad(ctx, requests, fullSpeed/2/float64(requests.items))
	o.ratio = 1 + queuedRequests/came
	return o, err
}

// fill sends requests that nobody takes, to the queue.
func (t *target) fill(ctx context.Context) error {
	if err := t.sink.close(); err != nil {
		return err
	}
	for n := range queuedRequests {
		if err := t.feed.(*sender).send(ctx, n%connections); err != nil {
			return err
		}
	}
	wait(ctx, t.load.judged)
	// The attempts to send from the queue are never at rest.
	wait(ctx, time.Second)
	return ctx.Err()
}

// reopen lets somebody take what is in the queue, and waits for its first bytes.
func (t *target) reopen(ctx context.Context) (err error) {
	if t.sink, err = newSinkAt(t.sink.grpcAddress, t.sink.httpAddress); err != nil {
		return err
	}
	for t.sink.bytes.Load() == 0 {
		if wait(ctx, time.Millisecond); ctx.Err() != nil {
			return fmt.Errorf("nothing leaves the queue: %w", ctx.Err())
		}
	}
	return nil
}

// drained waits until the sink gets nothing for a while, and returns the time from the first bytes to the last.
func (t *target) drained(ctx context.Context) (time.Duration, error) {
	const quiet = 3 * time.Second
	ctx, cancel := context.WithTimeout(ctx, readDeadline)
	defer cancel()
	if err := t.reopen(ctx); err != nil {
		return 0, err
	}
	first := time.Now()
	last := first
	for seen := int64(0); time.Since(last) < quiet; wait(ctx, time.Millisecond) {
		if ctx.Err() != nil {
			return 0, fmt.Errorf("the queue is not drained: %w", ctx.Err())
		}
		if now := t.sink.bytes.Load(); now != seen {
			seen, last = now, time.Now()
		}
	}
	return last.Sub(first), nil
}

// drainedUnderLoad sends so many requests a second until the queue is empty, and returns how many were answered.
func (t *target) drainedUnderLoad(ctx context.Context, requests otlpLoad, rate float64) (came float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, readDeadline)
	defer cancel()
	more, err := newWideSender(t.data, requests, openWidth)
	if err != nil {
		return 0, err
	}
	defer func() { _ = more.close() }()
	if err := t.reopen(ctx); err != nil {
		return 0, err
	}
	sending, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		_, err := more.sendAtRate(sending, rate, readDeadline)
		ended <- err
	}()
	for empty := false; !empty && err == nil; {
		select {
		case err = <-ended: // it does not end by itself
			err = fmt.Errorf("the queue is not drained: %w", err)
		case <-time.After(time.Millisecond):
			empty, err = t.queueEmpty()
		}
	}
	came = float64(more.accepted.Load()) / float64(requests.items)
	stop()
	return came, err
}

// queueEmpty reports whether no queue has records.
func (t *target) queueEmpty() (bool, error) {
	segments, err := filepath.Glob(filepath.Join(t.state, "spillover", "*", "*", "queue", "*.segment"))
	return len(segments) == 0, err
}

// diskUsed is what the files below a directory take.
func diskUsed(dir string) (bytes int64, err error) {
	const block = 512
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a temporary one
		}
		if err == nil {
			bytes += info.Sys().(*syscall.Stat_t).Blocks * block
		}
		return err
	})
	return bytes, err
}
