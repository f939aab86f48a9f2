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
	if l.items == 0 {
		return o, nil
	}
	var f *profileFeed
	t, err := binaries.startTarget(ctx, l.profile, feedOnly{l, &f})
	if err != nil {
		return o, err
	}
	defer t.stop()
	if err := f.rest(ctx, t.process); err != nil {
		return o, err
	}
	before, err := diskUsed(f.state)
	if err != nil {
		return o, err
	}
	if err := f.fill(ctx); err != nil {
		return o, t.failed(err)
	}
	after, err := diskUsed(f.state)
	if err == nil && after == before {
		err = fmt.Errorf("%s: nothing was queued", l.profile.name)
	}
	if err != nil {
		return o, err
	}
	items := float64(queuedRequests * l.items)
	o.bytes = float64(after-before) / items
	took, err := f.drained(ctx)
	if err != nil {
		return o, err
	}
	o.drained = items / took.Seconds()
	if err := f.fill(ctx); err != nil {
		return o, t.failed(err)
	}
	came, err := f.drainedUnderLoad(ctx, fullSpeed/2/float64(l.items))
	o.ratio = 1 + queuedRequests/came
	return o, err
}

// fill sends requests that nobody takes, to the queue.
func (f *profileFeed) fill(ctx context.Context) error {
	if err := f.sink.close(); err != nil {
		return err
	}
	for n := range queuedRequests {
		if err := f.feed.(*sender).send(ctx, n%connections); err != nil {
			return err
		}
	}
	wait(ctx, f.load.judged)
	// The attempts to send from the queue are never at rest.
	wait(ctx, time.Second)
	return ctx.Err()
}

// reopen lets somebody take what is in the queue, and waits for its first bytes.
func (f *profileFeed) reopen(ctx context.Context) (err error) {
	if f.sink, err = newSinkAt(f.sink.grpcAddress, f.sink.httpAddress); err != nil {
		return err
	}
	for f.sink.bytes.Load() == 0 {
		if wait(ctx, time.Millisecond); ctx.Err() != nil {
			return fmt.Errorf("nothing leaves the queue: %w", ctx.Err())
		}
	}
	return nil
}

// drained waits until the sink gets nothing for a while, and returns the time from the first bytes to the last.
func (f *profileFeed) drained(ctx context.Context) (time.Duration, error) {
	const quiet = 3 * time.Second
	ctx, cancel := context.WithTimeout(ctx, readDeadline)
	defer cancel()
	if err := f.reopen(ctx); err != nil {
		return 0, err
	}
	first := time.Now()
	last := first
	for seen := int64(0); time.Since(last) < quiet; wait(ctx, time.Millisecond) {
		if ctx.Err() != nil {
			return 0, fmt.Errorf("the queue is not drained: %w", ctx.Err())
		}
		if now := f.sink.bytes.Load(); now != seen {
			seen, last = now, time.Now()
		}
	}
	return last.Sub(first), nil
}

// drainedUnderLoad sends so many requests a second until the queue is empty, and returns how many were answered.
func (f *profileFeed) drainedUnderLoad(ctx context.Context, rate float64) (came float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, readDeadline)
	defer cancel()
	more, err := newWideSender(endpointOf(f), f.load.load.(otlpLoad), openWidth)
	if err != nil {
		return 0, err
	}
	defer func() { _ = more.close() }()
	if err := f.reopen(ctx); err != nil {
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
			empty, err = f.queueEmpty()
		}
	}
	came = float64(more.accepted.Load()) / float64(more.load.items)
	stop()
	return came, err
}

// queueEmpty reports whether no queue has records.
func (f *profileFeed) queueEmpty() (bool, error) {
	segments, err := filepath.Glob(filepath.Join(f.state, "spillover", "*", "*", "queue", "*.segment"))
	return len(segments) == 0, err
}

// feedOnly is a load that leaves its feed to whoever starts the target.
type feedOnly struct {
	*profileLoad
	made **profileFeed
}

func (l feedOnly) feed(data, telemetry string) (feed, error) {
	f, err := newProfileFeed(l.profileLoad, data, telemetry)
	*l.made = f
	return f, err
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
