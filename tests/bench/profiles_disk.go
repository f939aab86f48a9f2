package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
)

// queuedRequests are sent while nobody takes them. They are more than what a queue's file
// has room for to begin with, and fit into the queue.
const queuedRequests = 200

// onDisk is how many bytes an item takes in a profile's queue. Lines of files take none:
// the files are their queue.
func (l *profileLoad) onDisk(ctx context.Context, binaries binaries) (perItem float64, err error) {
	if l.items == 0 {
		return 0, nil
	}
	var f *profileFeed
	t, err := binaries.startTarget(ctx, l.profile, feedOnly{l, &f})
	if err != nil {
		return 0, err
	}
	defer t.stop()
	from := f.feed.(*sender)
	if err := errors.Join(f.rest(ctx, t.process), f.sink.close()); err != nil {
		return 0, err
	}
	before, err := diskUsed(f.state)
	if err != nil {
		return 0, err
	}
	for n := range queuedRequests {
		if err := from.send(ctx, n%connections); err != nil {
			return 0, t.failed(err)
		}
	}
	wait(ctx, l.judged)
	if err := f.rest(ctx, t.process); err != nil {
		return 0, t.failed(err)
	}
	after, err := diskUsed(f.state)
	if err == nil && after == before {
		err = fmt.Errorf("%s: nothing was queued", l.profile.name)
	}
	return float64(after-before) / float64(queuedRequests*l.items), err
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
