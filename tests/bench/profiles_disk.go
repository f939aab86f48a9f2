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
}

// outage sends a profile requests that nobody takes, and then lets somebody take them. Lines of files take no disk:
// the files are their queue.
func (l *profileLoad) outage(ctx context.Context, binaries binaries) (o outage, err error) {
	if l.items == 0 {
		return o, nil
	}
	var f *profileFeed
	t, err := binaries.startTarget(ctx, l.profile, feedOnly{l, &f})
	if err != nil {
		return o, err
	}
	defer t.stop()
	from := f.feed.(*sender)
	if err := errors.Join(f.rest(ctx, t.process), f.sink.close()); err != nil {
		return o, err
	}
	before, err := diskUsed(f.state)
	if err != nil {
		return o, err
	}
	for n := range queuedRequests {
		if err := from.send(ctx, n%connections); err != nil {
			return o, t.failed(err)
		}
	}
	wait(ctx, l.judged)
	// The attempts to send from the queue are never at rest.
	wait(ctx, time.Second)
	after, err := diskUsed(f.state)
	if err == nil && after == before {
		err = fmt.Errorf("%s: nothing was queued", l.profile.name)
	}
	if err != nil {
		return o, err
	}
	items := float64(queuedRequests * l.items)
	if f.sink, err = newSinkAt(f.sink.grpcAddress, f.sink.httpAddress); err != nil {
		return o, err
	}
	took, err := f.drained(ctx)
	return outage{bytes: float64(after-before) / items, drained: items / took.Seconds()}, err
}

// drained waits until the sink gets nothing for a while, and returns the time from the first bytes to the last.
func (f *profileFeed) drained(ctx context.Context) (time.Duration, error) {
	const quiet = 3 * time.Second
	ctx, cancel := context.WithTimeout(ctx, readDeadline)
	defer cancel()
	var first, last time.Time
	for seen := int64(0); last.IsZero() || time.Since(last) < quiet; wait(ctx, time.Millisecond) {
		if ctx.Err() != nil {
			return 0, fmt.Errorf("the queue is not drained: %w", ctx.Err())
		}
		now := f.sink.bytes.Load()
		if now == seen {
			continue
		}
		if seen == 0 {
			first = time.Now()
		}
		seen, last = now, time.Now()
	}
	return last.Sub(first), nil
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
