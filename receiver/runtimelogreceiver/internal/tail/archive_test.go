// SPDX-License-Identifier: Apache-2.0

//go:build unix

package tail

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func packed(t testing.TB, text []byte) []byte {
	t.Helper()
	var to bytes.Buffer
	w := gzip.NewWriter(&to)
	_, err := w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return to.Bytes()
}

// archive writes an archive that nobody writes to any more.
func (r *rig) archive(name string, content []byte) {
	r.t.Helper()
	require.NoError(r.t, os.MkdirAll(filepath.Dir(r.path(name)), 0o700))
	temporary := filepath.Join(r.dir, "temporary")
	require.NoError(r.t, os.WriteFile(temporary, content, 0o600))
	old := time.Now().Add(-time.Minute)
	require.NoError(r.t, os.Chtimes(temporary, old, old))
	require.NoError(r.t, os.Rename(temporary, r.path(name)))
}

// numbered returns lines of about so many bytes.
func numbered(prefix string, size int) string {
	var text strings.Builder
	for i := 0; text.Len() < size; i++ {
		fmt.Fprintf(&text, "%s line %d %x\n", prefix, i, uint64(i)*0x9e3779b97f4a7c15)
	}
	return text.String()
}

// next is a Tailer of the same directory after another one, with its checkpoints.
func (r *rig) next() *rig {
	n := newRig(r.t, nil)
	n.dir, n.cfg.Include = r.dir, r.cfg.Include
	n.Tailer = New(n.cfg)
	for name, at := range r.last {
		n.Restore(at, &recorder{rig: n, name: name})
	}
	n.Start(n.t.Context())
	n.t.Cleanup(n.halt)
	return n
}

// What is in archives before the first start is as old as what is in files.
func TestOldArchives(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.FromEnd = true })
	r.archive("a/0.log.1.gz", packed(t, []byte(numbered("old", 3000))))
	r.start()
	require.Eventually(t, func() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.last["0.log.1.gz"].End }, time.Minute, time.Millisecond)
	assert.Empty(t, r.text("0.log.1.gz"))
	r.halt()
	// A later archive is new.
	require.NoError(t, os.Rename(r.path("a/0.log.1.gz"), r.path("a/0.log.2.gz")))
	r.archive("a/0.log.1.gz", packed(t, []byte("new\n")))
	n := r.next()
	n.awaitText("0.log.1.gz", "new\n")
	assert.Empty(t, n.text("0.log.2.gz"))
}

// Of an archive that is damaged, or that decompresses to too much, what can be read is read, and the rest is
// counted once. Others are read meanwhile.
func TestDamagedAndTooLargeArchives(t *testing.T) {
	text := numbered("cut", 200_000)
	whole := packed(t, []byte(text))
	r := newRig(t, nil)
	r.archive("a/cut.log.gz", whole[:len(whole)/2])
	r.archive("a/flipped.log.gz", append(bytes.Clone(whole[:len(whole)-8]), 1, 2, 3, 4, 5, 6, 7, 8))
	r.archive("a/head.log.gz", []byte{0x1f, 0x8b, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9})
	bomb := packed(t, bytes.Repeat([]byte("a\n"), 4<<20))
	r.archive("a/bomb.log.gz", bomb)
	r.archive("b/good.log.1.gz", packed(t, []byte("good\n")))
	r.write("b/text.log.gz", "no archive\n") // in spite of its name
	r.start()
	r.awaitText("good.log.1.gz", "good\n")
	r.awaitText("text.log.gz", "no archive\n")
	want := map[string]Reason{
		"a/cut.log.gz": Damaged, "a/flipped.log.gz": Damaged, "a/head.log.gz": Damaged, "a/bomb.log.gz": TooLarge,
	}
	r.awaitSkipped(want)
	assert.Equal(t, len(want), r.reports)
	r.awaitText("flipped.log.gz", text)
	half := r.text("cut.log.gz")
	assert.True(t, strings.HasPrefix(text, half) && len(half) > len(text)/4, len(half))
	assert.Len(t, r.text("bomb.log.gz"), int(textLimit(int64(len(bomb)))))
	r.halt()
	n := r.next()
	n.write("b/new.log", "new\n")
	n.awaitText("new.log", "new\n")
	assert.Zero(t, n.reports)
}

// A file of the last run that is gone, and that no archive continues, is counted if its directory is still there.
func TestGoneFilesAreCounted(t *testing.T) {
	r := newRig(t, nil)
	r.write("a/0.log", "one\n")
	r.write("b/0.log.1", "two\n")
	r.start()
	r.awaitText("0.log", "one\n")
	r.awaitText("0.log.1", "two\n")
	r.halt()
	require.NoError(t, os.Remove(r.path("a/0.log")))
	require.NoError(t, os.RemoveAll(r.path("b")))
	r.archive("a/0.log.1.gz", packed(t, []byte("another\n")))
	n := r.next()
	n.awaitText("0.log.1.gz", "another\n")
	n.Tailer.mu.Lock()
	for _, f := range n.files {
		if f.origin == restoredFile {
			f.goneSince = time.Now().Add(-rememberGone)
		}
	}
	n.Tailer.mu.Unlock()
	n.awaitSkipped(map[string]Reason{"a/0.log": Gone})
	assert.Equal(t, 1, n.reports)
}

// pollAndRead polls once, and then reads what that poll has found. Nothing happens at the same time.
func (r *rig) pollAndRead() {
	r.pollOnce(r.t.Context())
	for len(r.queue) > 0 {
		f := r.take()
		r.put(f, r.turn(r.t.Context(), f, make([]byte, bufferBytes)))
	}
}

func openText(t testing.TB, content []byte) *archive {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.gz")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	file, err := os.Open(path)
	require.NoError(t, err)
	return openArchive(file, int64(len(content)))
}

// The text of an archive reads the same at any offset, in any order.
func TestArchiveReadAt(t *testing.T) {
	text := []byte(numbered("x", 700_000))
	a := openText(t, append(packed(t, text[:300_000]), packed(t, text[300_000:])...)) // two members
	defer a.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	at := 0
	for range 500 {
		size := rng.IntN(2 * bufferBytes)
		switch rng.IntN(4) {
		case 0:
			at = rng.IntN(len(text) + 1000)
		case 1:
			at = max(0, at-rng.IntN(bufferBytes))
		}
		to := make([]byte, size)
		n, err := a.ReadAt(to, int64(at))
		want := text[min(at, len(text)):min(at+size, len(text))]
		require.Equal(t, len(want), n)
		require.True(t, bytes.Equal(want, to[:n]))
		require.Equal(t, n < size, err != nil)
		at += n
	}
}

// Any bytes are an archive with a bounded text, which reads the same twice.
func FuzzArchive(f *testing.F) {
	f.Add(packed(f, []byte(numbered("x", 5000))), int64(100))
	f.Add([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0}, int64(0))
	f.Add(packed(f, nil), int64(7))
	f.Add(packed(f, bytes.Repeat([]byte{'a'}, 4<<20)), int64(1<<20))
	f.Fuzz(func(t *testing.T, content []byte, offset int64) {
		if offset < 0 {
			return
		}
		a := openText(t, content)
		defer a.Close()
		read := func() string { to := make([]byte, 3000); n, _ := a.ReadAt(to, offset); return string(to[:n]) }
		one := read()
		require.True(t, a.skip(t.Context(), textLimit(int64(len(content)))+1))
		require.LessOrEqual(t, a.at, a.limit)
		require.Equal(t, a.at, a.textSize())
		_, _ = a.ReadAt(make([]byte, 1), 0)
		require.Equal(t, one, read())
	})
}
