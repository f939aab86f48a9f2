// SPDX-License-Identifier: Apache-2.0

//go:build unix

package tail

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

func TestFromEnd(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.FromEnd, cfg.MaxOpen = true, 4 })
	for i := range 20 {
		r.write(fmt.Sprintf("a/%d.log", i), "before\n")
	}
	r.start()
	require.Eventually(t, func() bool { r.mu.Lock(); defer r.mu.Unlock(); return len(r.last) == 20 }, 10*time.Second, time.Millisecond)
	r.write("a/new.log", "one\n")
	r.write("a/7.log", "after\n")
	r.awaitText("new.log", "one\n")
	r.awaitText("7.log", "after\n")
	for i := range 20 {
		assert.NotContains(t, r.text(fmt.Sprintf("%d.log", i)), "before")
	}
}

// A new file that begins like one that is gone, and has got its inode, belongs to another pod.
func TestInodeOfAnotherOwner(t *testing.T) {
	for _, away := range []bool{false, true} {
		r := newRig(t, func(cfg *Config) { cfg.MaxOpen = 1; cfg.Owner = filepath.Dir })
		r.write("a/old.log", "hello\n")
		r.start()
		r.awaitText("old.log", "hello\n")
		// The tailer closes the first file to read this one.
		r.write("c/other.log", "other\n")
		r.awaitText("other.log", "other\n")
		if away {
			r.halt()
		}
		// A rename keeps the inode for sure; a file system gives it away when it likes.
		require.NoError(t, os.MkdirAll(r.path("b"), 0o700))
		require.NoError(t, os.Rename(r.path("a/old.log"), r.path("b/new.log")))
		if away {
			last := r.last["old.log"]
			r.Tailer = New(r.cfg)
			r.Restore(last, r.cfg.NewReader())
			r.Start(t.Context())
			t.Cleanup(r.halt)
		}
		r.awaitText("new.log", "hello\n")
	}
}

func TestGlobs(t *testing.T) {
	f := func(pattern, root, rel string, matches, descends bool) {
		t.Helper()
		g := newGlob(pattern)
		assert.Equal(t, root, g.root, pattern)
		assert.Equal(t, matches, g.matches(rel), "%s matches %s", pattern, rel)
		assert.Equal(t, descends, g.descends(rel), "%s descends %s", pattern, rel)
	}
	f("/var/log/pods/*/*/*.log*", "/var/log/pods", "a/b/0.log", true, false)
	f("/var/log/pods/*/*/*.log*", "/var/log/pods", "a/b", false, true)
	f("/var/log/*/x/*.log", "/var/log", "a/y", false, false)
	f("/var/log/*/x/*.log", "/var/log", "a/x", false, true)
	f("/var/log/a.log", "/var/log", "a.log", true, false)
	f("/var/log/a.log", "/var/log", "b", false, false)
	f("/logs/**/*.log", "/logs", "a/b/c", false, true)
	f("/logs/**/*.log", "/logs", "a.log", true, true)
	f("/logs/*/**/*.log", "/logs", "a", false, true)
	f("/logs/x*/**/*.log", "/logs", "a/b", false, false)
	f("/logs/{a/b,c}/*.log", "/logs", "a/b/1.log", true, true)
	f("/logs/{a/b,c}/*.log", "/logs", "a", false, true)
	f("*.log", ".", "a.log", true, false)
}

func TestExcluded(t *testing.T) {
	r := newRig(t, func(cfg *Config) {
		cfg.Exclude = []string{filepath.Join(filepath.Dir(filepath.Dir(cfg.Include[0])), "a", "*.gz")}
	})
	r.write("a/0.log.gz", "no\n")
	r.write("a/0.log", "one\n")
	r.start()
	r.awaitText("0.log", "one\n")
	assert.Empty(t, r.text("0.log.gz"))
}

// An endless tree of directories takes only its share of a poll.
func TestTreesAreBounded(t *testing.T) {
	dir := t.TempDir()
	for i := range 30 {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "a", fmt.Sprint(i), "x"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a", fmt.Sprint(i), "x", "0.log"), nil, 0o600))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "b", "x"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b", "x", "0.log"), nil, 0o600))
	skipped := 0
	w := walk{ctx: t.Context(), globs: []glob{newGlob(dir + "/**/*.log")}, tree: 40, skip: func(_ string, reason Reason, _ error) {
		assert.Equal(t, TooMany, reason)
		skipped++
	}}
	w.run()
	require.NotEmpty(t, w.found)
	assert.Equal(t, filepath.Join(dir, "b", "x", "0.log"), w.found[len(w.found)-1].path)
	assert.Len(t, w.found, 1+5)
	assert.NotZero(t, skipped)
}

// For random histories of writes, all kinds of rotations, deletions and restarts, each line is
// read once and in order, with few and with many descriptors. Nothing is written between a copy
// and the truncation, because such a rotation loses it by design.
func TestHistories(t *testing.T) {
	for seed := range uint64(soak.Count(t, "TC_TAIL_HISTORIES", 10)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 7))
			r := newRig(t, func(cfg *Config) { cfg.MaxOpen = []int{8, 64}[rng.IntN(2)] })
			h := &history{rig: r, rng: rng, lines: map[string][]string{}}
			h.begin()
			for range 80 {
				h.step()
			}
			h.check()
		})
	}
}

// history is a random history of the files of a directory.
type history struct {
	*rig
	rng     *rand.Rand
	lines   map[string][]string // written, by series
	readers []*series
	rotated int
	renamed []string // rotated files that are not compressed
	away    bool     // the Tailer is stopped
}

// series is the Reader of one log. It stays with the checkpoint across restarts.
type series struct {
	*recorder
	text strings.Builder
	at   Checkpoint
	gone bool
}

const logs = 4

func (h *history) begin() {
	h.cfg.NewReader = func() Reader { return h.newSeries() }
	h.Tailer = New(h.cfg)
	h.mu.Lock()
	for _, s := range h.readers {
		if s.at.Offset > 0 && !s.gone {
			h.Restore(s.at, s)
		} else {
			s.gone = true
		}
	}
	h.mu.Unlock()
	h.Start(h.t.Context())
}

func (h *history) step() {
	name := fmt.Sprintf("a/%d.log", h.rng.IntN(logs))
	path := h.path(name)
	switch n := h.rng.IntN(21); {
	case n < 12:
		h.log(name, 1+h.rng.IntN(40))
	case n < 14:
		if h.exists(name) {
			h.rotated++
			to := fmt.Sprint(path, ".", h.rotated)
			require.NoError(h.t, os.Rename(path, to))
			h.renamed = append(h.renamed, to)
		}
	case n < 15:
		h.compress()
	case n < 16:
		if h.exists(name) && h.awaitAll() {
			h.rotated++
			text, err := os.ReadFile(path)
			require.NoError(h.t, err)
			require.NoError(h.t, os.WriteFile(fmt.Sprint(path, ".", h.rotated), text, 0o600))
			time.Sleep(time.Duration(h.rng.IntN(4)) * time.Millisecond)
			require.NoError(h.t, os.Truncate(path, 0))
			h.quiet() // has seen that it is shorter
		}
	case n < 17:
		if h.exists(name) && h.awaitAll() {
			require.NoError(h.t, os.Remove(path))
		}
	case n < 18:
		h.leave()
	default:
		time.Sleep(time.Duration(h.rng.IntN(5)) * time.Millisecond)
	}
}

// quiet waits until all files have had their turns.
func (h *history) quiet() {
	h.t.Helper()
	begun := h.pollsSoFar()
	require.Eventually(h.t, func() bool {
		h.Tailer.mu.Lock()
		defer h.Tailer.mu.Unlock()
		for f := range h.files {
			if f.state != idle || f.size < 0 {
				return false
			}
		}
		return h.polls > begun+2 && !h.starving
	}, 20*time.Second, time.Millisecond)
}

func (h *history) exists(name string) bool { _, err := os.Stat(h.path(name)); return err == nil }

// log writes unique lines, some of them in two writes.
func (h *history) log(name string, count int) {
	var text strings.Builder
	for range count {
		line := fmt.Sprintf("%s %d %s\n", name, len(h.lines[name]), strings.Repeat("x", h.rng.IntN(200)))
		h.lines[name] = append(h.lines[name], line)
		text.WriteString(line)
	}
	half := h.rng.IntN(text.Len())
	h.write(name, text.String()[:half])
	h.write(name, text.String()[half:])
}

func (h *history) newSeries() *series {
	s := &series{recorder: &recorder{rig: h.rig}}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.readers = append(h.readers, s)
	return s
}

func (s *series) Read(_ context.Context, text []byte, position Checkpoint) error {
	s.rig.mu.Lock()
	defer s.rig.mu.Unlock()
	s.text.Write(text)
	s.at = position
	return nil
}

func (s *series) Forgotten(context.Context) {
	s.rig.mu.Lock()
	defer s.rig.mu.Unlock()
	s.gone = true
}

// got compares the lines read with the lines written.
func (h *history) got(c assert.TestingT) {
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := map[string]bool{}
	for _, s := range h.readers {
		for line := range strings.SplitAfterSeq(s.text.String(), "\n") {
			if line == "" {
				continue
			}
			assert.False(c, seen[line], "came twice: %.60q", line)
			seen[line] = true
		}
	}
	for _, all := range h.lines {
		for _, line := range all {
			assert.True(c, seen[line], "did not come: %.60q", line)
			delete(seen, line)
		}
	}
	assert.Empty(c, seen, "was not written")
}

// awaitAll waits until everything is read. It returns false if nobody reads.
func (h *history) awaitAll() bool {
	h.t.Helper()
	if h.away {
		return false
	}
	require.EventuallyWithT(h.t, func(c *assert.CollectT) { h.got(c) }, 20*time.Second, 2*time.Millisecond)
	return true
}

// leave stops the Tailer for some steps.
func (h *history) leave() {
	if h.away {
		return
	}
	require.True(h.t, h.Stop(5*time.Second))
	h.away = true
	h.log(fmt.Sprintf("a/%d.log", h.rng.IntN(logs)), 1)
	for range h.rng.IntN(12) {
		h.step()
	}
	h.away = false
	h.begin()
}

// compress compresses a rotated file, into a file that gets its name when it is complete, as the kubelet does, or
// into one that has its name before, as gzip does.
func (h *history) compress() {
	if len(h.renamed) == 0 {
		return
	}
	at := h.rng.IntN(len(h.renamed))
	path := h.renamed[at]
	h.renamed = slices.Delete(h.renamed, at, at+1)
	text, err := os.ReadFile(path)
	require.NoError(h.t, err)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(text)
	require.NoError(h.t, err)
	require.NoError(h.t, w.Close())
	old := time.Now().Add(-time.Minute) // it does not have to rest
	if to := path + archiveSuffix; h.rng.IntN(2) == 0 {
		temporary := filepath.Join(h.dir, "temporary")
		require.NoError(h.t, os.WriteFile(temporary, packed.Bytes(), 0o600))
		require.NoError(h.t, os.Chtimes(temporary, old, old))
		require.NoError(h.t, os.Rename(temporary, to))
	} else {
		half := h.rng.IntN(packed.Len())
		appendTo(h.t, to, packed.String()[:half])
		time.Sleep(time.Duration(h.rng.IntN(4)) * time.Millisecond)
		appendTo(h.t, to, packed.String()[half:])
		require.NoError(h.t, os.Chtimes(to, old, old))
	}
	time.Sleep(time.Duration(h.rng.IntN(4)) * time.Millisecond)
	require.NoError(h.t, os.Remove(path))
}

func (h *history) check() {
	h.awaitAll()
	h.quiet() // lines that should not come would have come
	h.got(h.t)
	require.True(h.t, h.Stop(5*time.Second))
}
