// SPDX-License-Identifier: Apache-2.0

//go:build unix

package tail

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rig is a Tailer, and what it has read.
type rig struct {
	t   *testing.T
	dir string
	cfg Config
	*Tailer

	mu      sync.Mutex
	read    map[string]*bytes.Buffer // by the last part of the path
	skipped map[string]Reason
	reports int
	zeros   int64
	last    map[string]Checkpoint
	ended   []string
	blocked chan struct{} // nil, or a channel for which readers wait
}

func newRig(t *testing.T, change func(*Config)) *rig {
	r := &rig{t: t, dir: t.TempDir(), read: map[string]*bytes.Buffer{}, skipped: map[string]Reason{}, last: map[string]Checkpoint{}}
	r.cfg = Config{
		Include: []string{filepath.Join(r.dir, "*", "*.log*")}, PollInterval: time.Millisecond, MaxOpen: 64,
		Owner:     func(string) string { return "" },
		NewReader: func() Reader { return &recorder{rig: r} },
		Skipped: func(path string, reason Reason, _ error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.skipped[path] = reason
			r.reports++
		},
		Zeros:  func(bytes int64) { r.mu.Lock(); r.zeros += bytes; r.mu.Unlock() },
		Polled: func() {},
	}
	if change != nil {
		change(&r.cfg)
	}
	return r
}

func (r *rig) start() {
	r.Tailer = New(r.cfg)
	r.Start(r.t.Context())
	r.t.Cleanup(r.halt)
}

func (r *rig) halt() { assert.True(r.t, r.Stop(5*time.Second), "does not end") }

// recorder records what is read.
type recorder struct {
	rig  *rig
	name string
}

func (r *recorder) Read(ctx context.Context, text []byte, position Checkpoint) error {
	if r.rig.blocked != nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.rig.blocked:
		}
	}
	r.rig.mu.Lock()
	defer r.rig.mu.Unlock()
	if r.rig.read[r.name] == nil {
		r.rig.read[r.name] = &bytes.Buffer{}
	}
	if r.rig.read[r.name].Len() < 8<<20 { // enough of endless files
		r.rig.read[r.name].Write(text)
	}
	r.rig.last[r.name] = position
	return nil
}

func (r *recorder) Renamed(path string) { r.name = filepath.Base(path) }

func (r *recorder) Ended(context.Context) error {
	r.rig.mu.Lock()
	defer r.rig.mu.Unlock()
	r.rig.ended = append(r.rig.ended, r.name)
	return nil
}

func (r *recorder) Forgotten(context.Context) {}

func (r *rig) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r *rig) write(name, text string) {
	r.t.Helper()
	require.NoError(r.t, os.MkdirAll(filepath.Dir(r.path(name)), 0o700))
	appendTo(r.t, r.path(name), text)
}

// appendTo appends a text to a file. A file that is written anew is empty for a moment, and a tailer that
// sees it then reads it again.
func appendTo(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = file.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

func (r *rig) text(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.read[name] == nil {
		return ""
	}
	return r.read[name].String()
}

func (r *rig) awaitText(name, want string) {
	r.t.Helper()
	require.Eventually(r.t, func() bool { return r.text(name) == want }, time.Minute, time.Millisecond, "%s: %.100q", name, r.text(name))
}

func (r *rig) pollsSoFar() uint64 {
	r.Tailer.mu.Lock()
	defer r.Tailer.mu.Unlock()
	return r.polls
}

func (r *rig) awaitSkipped(want map[string]Reason) {
	r.t.Helper()
	require.EventuallyWithT(r.t, func(c *assert.CollectT) {
		r.mu.Lock()
		defer r.mu.Unlock()
		got := map[string]Reason{}
		for path, reason := range r.skipped {
			rel, _ := filepath.Rel(r.dir, path)
			got[rel] = reason
		}
		assert.Equal(c, want, got)
	}, time.Minute, time.Millisecond)
}

// Special files, links that lead elsewhere and endless files do not prevent other files from
// being read, and Stop returns at once.
func TestHostileFiles(t *testing.T) {
	r := newRig(t, nil)
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "token.log"), []byte("secret\n"), 0o600))
	r.write("a/0.log", "one\n")
	r.write("b/secret.txt", "secret\n")
	require.NoError(t, os.Mkdir(r.path("b/inner"), 0o700))
	require.NoError(t, os.WriteFile(r.path("b/inner/x"), []byte("inner\n"), 0o600))
	require.NoError(t, syscall.Mkfifo(r.path("a/pipe.log"), 0o600))
	socket, err := net.Listen("unix", r.path("a/socket.log"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	link := func(to, name string) { require.NoError(t, os.Symlink(to, r.path(name))) }
	link("/dev/zero", "a/zero.log")
	link(filepath.Join(outside, "token.log"), "a/token.log")
	link("../b/secret.txt", "a/neighbour.log")
	link("0.log", "a/current.log")    // the same file again
	link("loop.log", "a/loop.log")    // itself
	link("nowhere", "a/dangling.log") // nothing
	link("inner/x", "b/below.log")    // a file below its directory
	link("pipe.log", "a/linked.log")  // a pipe
	link(outside, "tenant")           // a directory outside
	link(".", "a/self.log")           // a directory
	link("/dev/zero", "b/device.log") // a device, by another link
	link("../../../etc/passwd", "b/up.log")
	require.NoError(t, os.WriteFile(r.path("a/sparse.log"), nil, 0o600))
	require.NoError(t, os.Truncate(r.path("a/sparse.log"), 20<<30))
	require.NoError(t, os.WriteFile(r.path("b/hole.log"), []byte("before\n"), 0o600))
	require.NoError(t, os.Truncate(r.path("b/hole.log"), 20<<30))
	r.write("b/hole.log", "after\n")
	r.write("b/endless.log", "")
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		file, err := os.OpenFile(r.path("b/endless.log"), os.O_APPEND|os.O_WRONLY, 0)
		if !assert.NoError(t, err) {
			return
		}
		defer func() { _ = file.Close() }()
		text := bytes.Repeat([]byte("again and again\n"), 8<<10)
		for written := 0; written < 256<<20; written += len(text) {
			select {
			case <-stop:
				return
			default:
				_, _ = file.Write(text)
			}
		}
	})
	t.Cleanup(func() { close(stop); writer.Wait() })

	r.start()
	r.awaitText("0.log", "one\n")
	r.awaitText("below.log", "inner\n")
	r.awaitText("hole.log", "before\nafter\n")
	for i := range 100 {
		r.write("c/many.log", fmt.Sprintf("%d\n", i))
	}
	r.write("a/0.log", "two\n")
	r.awaitText("0.log", "one\ntwo\n")
	require.Eventually(t, func() bool { return strings.HasSuffix(r.text("many.log"), "\n99\n") }, time.Minute, time.Millisecond)
	require.Eventually(t, func() bool { return len(r.text("endless.log")) > 2<<20 }, time.Minute, time.Millisecond)
	r.awaitSkipped(map[string]Reason{
		"a/pipe.log": NamedPipe, "a/linked.log": NamedPipe, "a/socket.log": Socket, "a/zero.log": LinkOutside, "a/token.log": LinkOutside,
		"a/neighbour.log": LinkOutside, "a/loop.log": LinkLoop, "tenant": LinkOutside, "b/device.log": LinkOutside, "b/up.log": LinkOutside,
	})
	assert.Empty(t, r.text("sparse.log"))
	require.Eventually(t, func() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.zeros == 40<<30-7 }, time.Minute, time.Millisecond)
	r.halt()
	assert.Len(t, r.skipped, r.reports, "each is reported once")
	for name, text := range r.read {
		assert.NotContains(t, text.String(), "secret", name)
	}
}

// Even if files are exchanged during a poll, nothing outside is read, and nothing blocks.
func TestExchangedFiles(t *testing.T) {
	r := newRig(t, nil)
	outside := t.TempDir()
	secret := filepath.Join(outside, "token.log")
	require.NoError(t, os.WriteFile(secret, []byte("secret\n"), 0o600))
	require.NoError(t, os.MkdirAll(r.path("a"), 0o700))
	r.write("b/0.log", "one\n")
	r.start()
	swap := func(name string, make func(path string) error) {
		temporary := filepath.Join(r.dir, "temporary")
		_ = os.RemoveAll(temporary)
		if assert.NoError(t, make(temporary)) {
			_ = os.RemoveAll(r.path(name)) // a file cannot replace a directory
			assert.NoError(t, os.Rename(temporary, r.path(name)))
		}
	}
	begun := r.pollsSoFar()
	for n := 0; r.pollsSoFar() < begun+200; n++ {
		text := fmt.Sprintf("%d\n", n)
		swap("a/x.log", func(path string) error { return os.WriteFile(path, []byte(text), 0o600) })
		swap("a/x.log", func(path string) error { return os.Symlink(secret, path) })
		swap("a/x.log", func(path string) error { return syscall.Mkfifo(path, 0o600) })
		swap("c", func(path string) error { return os.Mkdir(path, 0o700) })
		swap("c", func(path string) error { return os.Symlink(outside, path) })
		swap("c", func(path string) error { return syscall.Mkfifo(path, 0o600) })
	}
	r.write("b/0.log", "two\n")
	r.awaitText("0.log", "one\ntwo\n")
	r.halt()
	for name, text := range r.read {
		assert.NotContains(t, text.String(), "secret", name)
	}
	assert.NotEmpty(t, r.text("x.log"))
}

// Links may lead into the further roots, as those of Docker do, by several links.
func TestRoots(t *testing.T) {
	containers, pods := t.TempDir(), t.TempDir()
	r := newRig(t, func(cfg *Config) { cfg.Roots = []string{containers, pods} })
	require.NoError(t, os.MkdirAll(filepath.Join(containers, "1f"), 0o700))
	target := filepath.Join(containers, "1f", "1f-json.log")
	require.NoError(t, os.WriteFile(target, []byte("one\n"), 0o600))
	require.NoError(t, os.Symlink(target, filepath.Join(pods, "0.log")))
	require.NoError(t, os.MkdirAll(r.path("a"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(pods, "0.log"), r.path("a/linked.log")))
	require.NoError(t, os.Symlink(filepath.Join(containers, "..", "x"), r.path("a/out.log")))
	r.start()
	r.awaitText("linked.log", "one\n")
	r.awaitSkipped(map[string]Reason{"a/out.log": LinkOutside})
	appendTo(t, target, "two\n")
	r.awaitText("linked.log", "one\ntwo\n")
}

// A directory with too many entries does not take the room of other directories.
func TestCrowdedDirectory(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.MaxOpen = 512 })
	for i := range maxEntries + 100 {
		require.NoError(t, os.MkdirAll(r.path("a"), 0o700))
		require.NoError(t, os.WriteFile(r.path(fmt.Sprintf("a/%d.log", i)), fmt.Appendf(nil, "%d\n", i), 0o600))
	}
	r.write("b/last.log", "one\n")
	r.start()
	r.awaitText("last.log", "one\n")
	r.awaitSkipped(map[string]Reason{"a": TooMany})
	require.Eventually(t, func() bool { r.mu.Lock(); defer r.mu.Unlock(); return len(r.read) == maxEntries+1 }, 60*time.Second, 10*time.Millisecond)
	for name, text := range r.read {
		if name != "last.log" {
			require.Equal(t, strings.TrimSuffix(name, ".log")+"\n", text.String())
		}
	}
}

// Stop does not wait for reads that do not return.
func TestStopIsBounded(t *testing.T) {
	r := newRig(t, nil)
	r.Tailer = New(r.cfg)
	r.Start(t.Context())
	stuck := make(chan struct{})
	r.background.Go(func() { <-stuck })
	assert.False(t, r.Stop(10*time.Millisecond))
	close(stuck)
}

// A file with a second name keeps its first one, so that a hard link does not change the path
// of its lines.
func TestHardLinks(t *testing.T) {
	r := newRig(t, nil)
	r.write("b/0.log", "one\n")
	r.start()
	r.awaitText("0.log", "one\n")
	require.NoError(t, os.MkdirAll(r.path("a"), 0o700))
	require.NoError(t, os.Link(r.path("b/0.log"), r.path("a/stolen.log")))
	begun := r.pollsSoFar()
	require.Eventually(t, func() bool { return r.pollsSoFar() > begun+2 }, time.Minute, time.Millisecond)
	r.write("b/0.log", "two\n")
	r.awaitText("0.log", "one\ntwo\n")
	assert.Empty(t, r.text("stolen.log"))
}

// A deleted file is forgotten, also if its directory has files that cannot be read.
func TestForgottenBesideUnreadableFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.Tailer = New(r.cfg)
		r.write("a/x.log", "one\n")
		r.write("a/unreadable.log", "")
		require.NoError(t, os.Chmod(r.path("a/unreadable.log"), 0)) // root can read it
		require.NoError(t, os.Symlink(filepath.Join(r.dir, "outside"), r.path("a/outside.log")))
		require.NoError(t, os.Symlink("nothing", r.path("a/nowhere.log")))
		r.pollAndRead()
		require.Equal(t, "one\n", r.text("x.log"))
		require.NoError(t, os.Remove(r.path("a/x.log")))
		for range 10 {
			time.Sleep(time.Second)
			r.pollAndRead()
		}
		assert.False(t, slices.ContainsFunc(r.files, func(f *file) bool { return f.path == r.path("a/x.log") }))
	})
}
