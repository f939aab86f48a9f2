// SPDX-License-Identifier: Apache-2.0

//go:build unix

package tail

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFromEnd(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.FromEnd, cfg.MaxOpen = true, 4 })
	for i := range 20 {
		r.write(fmt.Sprintf("a/%d.log", i), "before\n")
	}
	r.start()
	require.Eventually(t, func() bool { r.mu.Lock(); defer r.mu.Unlock(); return len(r.last) == 20 }, time.Minute, time.Millisecond)
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

// Owners who each try to have as many files as they can get leave room for the next one.
func TestShares(t *testing.T) {
	tailer := New(Config{Owner: func(path string) string { return strings.TrimPrefix(filepath.Dir(path), ".") }})
	for owner := range 6 {
		tailer.polls++
		got := 0
		for n := range maxFiles {
			path := fmt.Sprintf("/%d/%d.log", owner, n)
			if n%64 == 0 {
				tailer.polls++ // the shares are counted anew
			}
			if tailer.exceedsShare(path) {
				break
			}
			f := &file{}
			f.setPath(path)
			tailer.follow(f)
			got++
		}
		assert.InDelta(t, maxFiles>>(owner+1), got, 128)
	}
	assert.False(t, tailer.exceedsShare("/last/0.log"))
	assert.False(t, tailer.exceedsShare("0.log"), "files of nobody have no share")
}
