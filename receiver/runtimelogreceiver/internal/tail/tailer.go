// SPDX-License-Identifier: Apache-2.0

package tail

import (
	"context"
	"path/filepath"
	"sync"
	"time"
)

const (
	// workers bounds the files that are read at a time. A read that does not return, for
	// example of an unreachable network file system, blocks one worker.
	workers = 32
	// maxFiles bounds the files that are followed. One owner has at most as many as are free for others.
	maxFiles = 32768
	// goneGrace is how long a file that no pattern matches is still read. Programs write into a
	// renamed file until they open the new one.
	goneGrace = 5 * time.Second
	// copyWait is how long the state of a truncated file waits for its copy.
	copyWait = time.Minute
	// A file that no pattern matches is remembered for so long.
	rememberGone = 10 * time.Minute
	// maxDeleted bounds the disk space in bytes that deleted files keep because they are not
	// yet read to their end.
	maxDeleted = 1 << 30
)

// Config is the configuration of a Tailer.
type Config struct {
	Include, Exclude []string
	// Roots are directories that links may lead into.
	Roots []string
	// FromEnd makes the files of the first poll start at their end.
	FromEnd      bool
	PollInterval time.Duration
	// MaxOpen bounds the files that are open at a time.
	MaxOpen int

	// Owner returns whose a file is, by its path, or "". Files of two owners are never one file that was
	// renamed, whatever they contain: a file system gives the inode of a deleted file to the next one.
	Owner func(path string) string
	// NewReader returns a Reader for a new file.
	NewReader func() Reader
	// Skipped is called once for each path that is not read. The error may be nil.
	Skipped func(path string, reason Reason, err error)
	// Zeros is called with the number of zero bytes that were skipped.
	Zeros func(bytes int64)
	// Polled is called after the first poll, when all its files have a checkpoint.
	Polled func()
}

// Tailer follows files. Its workers read them. The poll decides which files to read, and opens
// and closes them.
type Tailer struct {
	Config
	globs   []glob
	skipped skipped
	listed  int // files that the last poll found; only polls use it

	stop       context.CancelFunc
	background sync.WaitGroup

	mu     sync.Mutex
	ready  *sync.Cond // signals that a file is queued, or that the Tailer stops
	files  []*file    // mu guards this and all fields below; in an order, so that no choice is random
	byID   map[identity]*file
	copies map[identity]*fileCopy
	queue  []*file
	open   int // descriptors
	// archives is how many of them are archives.
	archives int
	// undecided are the directories with files that may continue another: this poll has not decided.
	undecided map[string]bool
	// shares are the files of each owner, counted by the poll sharesAt.
	shares   map[string]int
	sharesAt uint64
	// closable are the open idle files, the least recently read at the end. A poll builds it
	// when it needs a descriptor.
	closable []*file
	// newBudget is how many new files this poll may still open, so that known files get
	// descriptors as well. compareBudget is how many blocks of files it may still compare.
	newBudget, compareBudget int
	// blocks are the buffers for two blocks to compare, allocated when needed.
	blocks []byte
	// starving means that files wait for a descriptor.
	starving bool
	polls    uint64
	turns    uint64
	stopped  bool
}

// New returns a Tailer that has not read anything.
func New(cfg Config) *Tailer {
	t := &Tailer{
		Config: cfg,
		byID:   map[identity]*file{}, copies: map[identity]*fileCopy{},
	}
	t.skipped.report = cfg.Skipped
	t.ready = sync.NewCond(&t.mu)
	for _, pattern := range cfg.Include {
		t.globs = append(t.globs, newGlob(pattern))
	}
	return t
}

// Restore adds a file that the last run has read. Call it before Start.
func (t *Tailer) Restore(position Checkpoint, reader Reader) {
	f := &file{reader: reader, position: position, path: position.Path, dir: filepath.Dir(position.Path), named: position.Path, origin: restoredFile, goneSince: time.Now(),
		isArchive: position.Packed != Span{}}
	reader.Renamed(position.Path)
	t.follow(f)
}

// Start begins to poll and read in the background. Files are polled until ctx ends or Stop is
// called.
func (t *Tailer) Start(ctx context.Context) {
	ctx, t.stop = context.WithCancel(ctx)
	context.AfterFunc(ctx, t.end)
	t.background.Go(func() { t.poll(ctx) })
	for range min(workers, t.MaxOpen) {
		t.background.Go(func() { t.work(ctx) })
	}
}

// Stop ends reading and closes all files. It returns false if a read does not end within the
// timeout, for example of an unreachable network file system.
func (t *Tailer) Stop(timeout time.Duration) bool {
	t.stop()
	done := make(chan struct{})
	go func() { t.background.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(timeout):
		return false
	}
	for _, f := range t.files {
		f.close()
	}
	return true
}

// end makes the workers return.
func (t *Tailer) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	t.ready.Broadcast()
}

func (t *Tailer) poll(ctx context.Context) {
	for {
		t.pollOnce(ctx)
		select {
		case <-ctx.Done():
			return
		case <-time.After(t.PollInterval):
		}
	}
}

// work reads files, one turn each, until the Tailer stops.
func (t *Tailer) work(ctx context.Context) {
	var buffer []byte
	for {
		f := t.take()
		if f == nil {
			return
		}
		if buffer == nil {
			buffer = make([]byte, bufferBytes)
		}
		t.put(f, t.turn(ctx, f, buffer))
	}
}

// enqueue adds a file to the queue. The caller holds mu.
func (t *Tailer) enqueue(f *file) {
	f.state = queued
	t.queue = append(t.queue, f)
	t.ready.Signal()
}

// take returns the next file in the queue, or nil when the Tailer stops.
func (t *Tailer) take() *file {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.queue) == 0 && !t.stopped {
		t.ready.Wait()
	}
	if t.stopped {
		return nil
	}
	f := t.queue[0]
	t.queue[0] = nil
	t.queue = t.queue[1:]
	t.turns++
	f.turn, f.state = t.turns, busy
	if f.named != f.path {
		f.named = f.path
		f.position.Path = f.path
		f.reader.Renamed(f.path)
	}
	return f
}

func (t *Tailer) turn(ctx context.Context, f *file, buffer []byte) outcome {
	switch f.action {
	case endFile:
		return outcome{err: f.reader.Ended(ctx)}
	case forgetFile:
		f.reader.Forgotten(ctx)
		return outcome{}
	}
	var out outcome
	var zeros int64
	if text, ok := f.descriptor.(*archive); ok {
		out, zeros = f.runArchive(ctx, text, buffer)
	} else {
		out, zeros = f.run(ctx, buffer)
	}
	if zeros > 0 {
		t.Zeros(zeros)
	}
	return out
}

// put returns a file after its turn, and decides on what follows.
func (t *Tailer) put(f *file, out outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f.state = idle
	if out.lost != "" {
		t.Skipped(f.path, out.lost, out.lostErr)
	}
	f.inodeDoubtful = f.inodeDoubtful && out.truncated
	if out.head != nil {
		f.head = out.head
	} else if len(f.head) < headBytes && f.descriptor != nil && !out.truncated {
		f.head = headOf(f.descriptor)
	}
	switch {
	case f.action == forgetFile:
		t.remove(f)
	case out.err != nil:
		f.failed = true
		t.close(f)
	case f.action == endFile:
		f.action, f.ended = keepReading, true
		t.close(f)
		if f.deleted {
			f.goneSince = time.Now()
			delete(t.byID, f.id) // another file can get the inode from now on
		}
	case out.finished:
		t.close(f)
	case out.truncated && f.inodeDoubtful:
		// The file was deleted and another one has its inode, which the next poll will find.
		f.origin, f.goneSince, f.inodeDoubtful = replacedFile, time.Now(), false
		t.close(f)
		delete(t.byID, f.id)
	case out.truncated:
		t.replace(f)
		t.enqueue(f)
	case out.more && t.starving && f.goneSince.IsZero() && !f.isArchive:
		t.close(f) // other files wait for a descriptor; the next poll opens it again
		f.size = -1
	case out.more:
		t.enqueue(f)
	}
}

// close closes a file's descriptor. The caller holds mu, and no worker reads the file.
func (t *Tailer) close(f *file) {
	if f.descriptor != nil {
		t.open--
		if _, ok := f.descriptor.(*archive); ok {
			t.archives--
		}
		f.close()
	}
}

// follow adds a file, if it is new. The caller holds mu.
func (t *Tailer) follow(f *file) {
	if t.follows(f) {
		return
	}
	f.index = len(t.files)
	t.files = append(t.files, f)
}

func (t *Tailer) follows(f *file) bool { return f.index < len(t.files) && t.files[f.index] == f }

// unfollow undoes follow.
func (t *Tailer) unfollow(f *file) {
	last := len(t.files) - 1
	t.files[f.index] = t.files[last]
	t.files[f.index].index = f.index
	t.files[last] = nil
	t.files = t.files[:last]
}

// remove removes a file. The caller holds mu.
func (t *Tailer) remove(f *file) {
	t.close(f)
	t.unfollow(f)
	if t.byID[f.id] == f {
		delete(t.byID, f.id)
	}
}

// Reason is why a file that a pattern matches is not read.
type Reason string

// The reasons. Each is the value of a metric attribute.
const (
	NamedPipe   Reason = "named_pipe"
	Socket      Reason = "socket"
	Device      Reason = "device"
	LinkOutside Reason = "link_outside" // the link leads out of its directory, and not into Config.Roots
	LinkLoop    Reason = "link_loop"
	Unreadable  Reason = "unreadable"
	TooMany     Reason = "too_many"  // too many entries in a directory, or too many files
	Deleted     Reason = "deleted"   // deleted before it was read, because it took too much disk space
	Damaged     Reason = "damaged"   // an archive that cannot be decompressed to its end
	TooLarge    Reason = "too_large" // an archive that decompresses to more than is allowed
	Gone        Reason = "gone"      // of the last run, and not there any more, though its directory is
)

// Reasons lists all reasons.
var Reasons = []Reason{NamedPipe, Socket, Device, LinkOutside, LinkLoop, Unreadable, TooMany, Deleted, Damaged, TooLarge, Gone}

// skipped records the skipped paths, so that each is reported once.
type skipped struct {
	report    func(path string, reason Reason, err error)
	last, now map[string]Reason
}

func (s *skipped) begin() { s.last, s.now = s.now, map[string]Reason{} }

// add records a skipped path. The error may be nil.
func (s *skipped) add(path string, reason Reason, err error) {
	if s.last[path] != reason && s.now[path] != reason {
		s.report(path, reason, err)
	}
	s.now[path] = reason
}
