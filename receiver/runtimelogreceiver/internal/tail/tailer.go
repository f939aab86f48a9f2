package tail

import (
	"context"
	"path/filepath"
	"sync"
	"time"
)

const (
	// workers is how many files are read at a time. A read that does not return, as of a
	// network file system that is away, keeps one of them.
	workers = 32
	// maxFiles is how many files are followed.
	maxFiles = 32768
	// grace is how long a file that no pattern matches any more is still read: programs
	// write into a renamed file until they open the new one.
	grace = 5 * time.Second
	// awaitsCopy is how long a file that was truncated waits for its copy to be found.
	awaitsCopy = time.Minute
	// remembered is how long it is known which files were read that no pattern matches.
	remembered = 10 * time.Minute
	// maxDeleted is how much room files that were deleted, and not read yet, may keep on
	// the disk.
	maxDeleted = 1 << 30
)

// Config are the settings of a Tailer.
type Config struct {
	Include, Exclude []string
	ExcludeOlderThan time.Duration
	// Roots are directories that links may lead into.
	Roots []string
	// FromEnd has the files of the first poll read from their ends.
	FromEnd      bool
	PollInterval time.Duration
	// MaxOpen is how many files are open at a time.
	MaxOpen int

	// NewReader returns the reader of a file.
	NewReader func() Reader
	// Skipped is told of each path that is not read, once.
	Skipped func(path string, reason Reason, err error)
	// Zeros is told how many zeros were skipped.
	Zeros func(bytes int64)
	// Polled is called after the first poll, whose files are all stored.
	Polled func()
}

// Tailer follows files. Its workers read them; the poll decides which, and alone opens and
// closes them.
type Tailer struct {
	Config
	globs   []glob
	skipped skipped

	stop       context.CancelFunc
	background sync.WaitGroup

	mu     sync.Mutex
	ready  *sync.Cond         // a file is queued, or the end has come
	files  map[*file]struct{} // all below are guarded by mu
	byID   map[identity]*file
	copies map[identity]*copied
	queue  []*file
	open   int // descriptors
	// closable are the open files that nothing is read of, the one read last at the end. It
	// is made when it is needed.
	closable []*file
	// newcomers are how many new files the poll may open yet, so that those that are known
	// get descriptors, too; compares is how many blocks of files it may compare.
	newcomers, compares int
	// blocks are the buffers of two blocks that are compared. They are made when needed.
	blocks []byte
	// starving tells that files wait for a descriptor.
	starving bool
	polls    uint64
	turns    uint64
	stopped  bool
}

// New returns a Tailer that has read nothing yet.
func New(cfg Config) *Tailer {
	t := &Tailer{
		Config: cfg,
		files:  map[*file]struct{}{}, byID: map[identity]*file{}, copies: map[identity]*copied{},
	}
	t.skipped.report = cfg.Skipped
	t.ready = sync.NewCond(&t.mu)
	for _, pattern := range cfg.Include {
		t.globs = append(t.globs, newGlob(pattern))
	}
	return t
}

// Restore adds a file that the last run has read, before Start.
func (t *Tailer) Restore(at Checkpoint, reader Reader) {
	f := &file{reader: reader, at: at, path: at.Path, dir: filepath.Dir(at.Path), named: at.Path, origin: restoredFile, goneSince: time.Now()}
	reader.Renamed(at.Path)
	t.files[f] = struct{}{}
}

// Start begins to read.
func (t *Tailer) Start(ctx context.Context) {
	ctx, t.stop = context.WithCancel(ctx)
	context.AfterFunc(ctx, t.end)
	t.background.Go(func() { t.poll(ctx) })
	for range min(workers, t.MaxOpen) {
		t.background.Go(func() { t.work(ctx) })
	}
}

// Stop ends reading. It returns false when something does not end in time: a read of a
// file system that is away.
func (t *Tailer) Stop(timeout time.Duration) bool {
	t.stop()
	done := make(chan struct{})
	go func() { t.background.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(timeout):
		return false
	}
	for f := range t.files {
		f.close()
	}
	return true
}

// end has the workers end.
func (t *Tailer) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	t.ready.Broadcast()
}

func (t *Tailer) poll(ctx context.Context) {
	for {
		t.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-time.After(t.PollInterval):
		}
	}
}

// work reads files, one turn each.
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

// enqueue has a file wait for its turn. It needs mu.
func (t *Tailer) enqueue(f *file) {
	f.state = queued
	t.queue = append(t.queue, f)
	t.ready.Signal()
}

// take returns the next file whose turn it is, or nil at the end.
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
		f.at.Path = f.path
		f.reader.Renamed(f.path)
	}
	return f
}

func (t *Tailer) turn(ctx context.Context, f *file, buffer []byte) outcome {
	switch f.last {
	case endIt:
		return outcome{err: f.reader.Ended(ctx)}
	case forgetIt:
		f.reader.Forgotten(ctx)
		return outcome{}
	}
	out, zeros := f.run(ctx, buffer)
	if zeros > 0 {
		t.Zeros(zeros)
	}
	return out
}

// put takes a file back after its turn.
func (t *Tailer) put(f *file, out outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f.state = idle
	f.doubtful = f.doubtful && out.truncated
	if len(f.head) < headBytes && f.descriptor != nil && !out.truncated {
		f.head = headOf(f.descriptor)
	}
	switch {
	case f.last == forgetIt:
		t.remove(f)
	case out.err != nil:
		f.failed = true
		t.close(f)
	case f.last == endIt:
		f.last, f.ended = goOn, true
		t.close(f)
		if f.deleted {
			delete(t.byID, f.id) // its number may be another file's from now on
		}
	case out.truncated && f.doubtful:
		// It was deleted, and its number is another file's, which the poll will meet.
		f.origin, f.goneSince, f.doubtful = replacedFile, time.Now(), false
		t.close(f)
		delete(t.byID, f.id)
	case out.truncated:
		t.replace(f)
		t.enqueue(f)
	case out.more && t.starving && f.goneSince.IsZero():
		t.close(f) // others wait for a descriptor; the poll opens it again
		f.size = -1
	case out.more:
		t.enqueue(f)
	}
}

// close closes a file's descriptor. It needs mu, and the file's worker must not run.
func (t *Tailer) close(f *file) {
	if f.descriptor != nil {
		t.open--
		f.close()
	}
}

// remove forgets a file. It needs mu.
func (t *Tailer) remove(f *file) {
	t.close(f)
	delete(t.files, f)
	if t.byID[f.id] == f {
		delete(t.byID, f.id)
	}
}
