// SPDX-License-Identifier: Apache-2.0

package readers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// folder is a folder with files.
type folder struct {
	*testing.T
	path string
}

func (f folder) write(name, text string) {
	f.Helper()
	path := filepath.Join(f.path, name)
	require.NoError(f, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(f, os.WriteFile(path, []byte(text), 0o600))
}

// rule returns a rule that reads a metric.
func rule(metric string) string { return fmt.Sprintf("expr: sum(%s)\n", metric) }

// reads returns the names that are read.
func reads(f *Files) string {
	read, _ := f.Readings()
	if read == nil {
		return ""
	}
	return strings.Join(read.Names(), " ")
}

// poll lets time pass until files have been read.
func poll() { time.Sleep(pollInterval + quietFor); synctest.Wait() }

// run reads paths until the test ends.
func run(t *testing.T, paths ...string) *Files {
	f := New(paths, func(error) {})
	go f.Run(t.Context())
	poll()
	return f
}

// Files, folders and globs are read, and again when they change.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := folder{t, t.TempDir()}
		d.write("one.yaml", rule("one"))
		d.write("dir/sub/two.json", `{"expr": "two"}`)
		d.write("a-[1].yaml", rule("three"))
		d.write("b-1.yaml", rule("four"))
		f := run(t, d.path+"/one.yaml", d.path+"/dir", d.path+"/a-[1].yaml", d.path+"/b-*.yaml", d.path+"/one.yaml")
		assert.Equal(t, "four one three two", reads(f))
		_, status := f.Readings()
		assert.Equal(t, 4, status.Files)
		assert.Empty(t, status.Refused)

		d.write("b-2.yaml", rule("five"))
		require.NoError(t, os.Remove(d.path+"/b-1.yaml"))
		d.write("one.yaml", rule("another"))
		poll()
		assert.Equal(t, "another five three two", reads(f))
	})
}

// A change with a fault is refused, with the file and the line. What was read before stays.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := folder{t, t.TempDir()}
		d.write("a.yaml", rule("one"))
		d.write("b.yaml", rule("two"))
		f := run(t, d.path)
		d.write("a.yaml", "expr: one\nb: [\n")
		d.write("b.yaml", rule("three"))
		poll()
		_, refused := f.Readings()
		assert.Equal(t, "one two", reads(f))
		assert.Contains(t, refused.Refused, d.path+"/a.yaml: line ")
		assert.True(t, refused.RefusedAt.After(refused.Since))

		d.write("a.yaml", rule("one"))
		poll()
		_, mended := f.Readings()
		assert.Equal(t, "one three", reads(f))
		assert.Empty(t, mended.Refused)

		// All is gone for some time.
		require.NoError(t, os.Rename(d.path, d.path+"-away"))
		poll()
		_, gone := f.Readings()
		assert.Equal(t, "one three", reads(f))
		assert.Equal(t, fmt.Sprintf("usage[0]: must exist (got %q)", d.path), gone.Refused)
		require.NoError(t, os.Rename(d.path+"-away", d.path))
		poll()
		_, back := f.Readings()
		assert.Equal(t, "one three", reads(f))
		assert.Empty(t, back.Refused)
	})
}

// What can be read at the start applies until all can be.
func TestFaultAtStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := folder{t, t.TempDir()}
		d.write("a.yaml", "a: [")
		d.write("b.yaml", rule("two"))
		f := run(t, d.path)
		read, status := f.Readings()
		assert.Equal(t, "two", reads(f))
		assert.Contains(t, status.Refused, d.path+"/a.yaml: ")
		assert.Len(t, read.Faults(), 1)
		d.write("a.yaml", "#"+strings.Repeat(" ", maxFile))
		d.write("b.yaml", rule("three"))
		poll()
		_, status = f.Readings()
		assert.Equal(t, "three", reads(f))
		assert.Equal(t, d.path+"/a.yaml: must have at most 4 MiB (got 4194305 bytes)", status.Refused)
		for i := range maxFaults + 2 {
			d.write(fmt.Sprintf("c%d.yaml", i), "[")
		}
		poll()
		_, status = f.Readings()
		assert.Contains(t, status.Refused, "and 3 more")
	})
}

// The kubelet replaces the folder that links lead through.
func TestConfigMap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := folder{t, t.TempDir()}
		for version, metric := range []string{"one", "two"} {
			d.write(fmt.Sprintf("mount/..%d/a.yaml", version), rule(metric))
			d.write(fmt.Sprintf("mount/..%d/sub/b.yaml", version), rule("b_"+metric))
		}
		link := func(to, name string) { require.NoError(t, os.Symlink(to, filepath.Join(d.path, name))) }
		link("..0", "mount/..data")
		link("..data/a.yaml", "mount/a.yaml")
		link("..data/sub", "mount/sub")
		link("..", "mount/loop")
		link("mount", "link")
		f := run(t, d.path+"/link")
		assert.Equal(t, "b_one one", reads(f))
		link("..1", "mount/..new")
		require.NoError(t, os.Rename(d.path+"/mount/..new", d.path+"/mount/..data"))
		poll()
		assert.Equal(t, "b_two two", reads(f))
	})
}

func TestCheck(t *testing.T) {
	d := folder{t, t.TempDir()}
	d.write("big.yaml", "")
	require.NoError(t, os.Truncate(d.path+"/big.yaml", maxSize+1))
	for want, paths := range map[string][]string{
		`usage[0]: must be a file, a folder or a glob (got "")`:                {""},
		`usage[1]: must exist (got "/nowhere/a.json")`:                         {t.TempDir(), "/nowhere/a.json"},
		`usage[0]: must match a file or a folder (got "/nowhere/*.json")`:      {"/nowhere/*.json"},
		`usage[0]: must be a file, a folder or a glob (got "/nowhere/[.json")`: {"/nowhere/[.json"},
		`usage[0]: must have regular files (got "/dev/null"`:                   {"/dev/null"},
		`usage: must be at most 256 MiB of files (got 256 MiB)`:                {d.path},
	} {
		assert.ErrorContains(t, Check(paths), want)
	}
	assert.NoError(t, Check(nil))
}

// A reading that does not end, as on a network file system that is away, does not hold the shutdown up.
func TestRunEndsBeforeAReadingThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := folder{t, t.TempDir()}
		d.write("one.yaml", rule("one"))
		hangs := make(chan struct{})
		f := New([]string{d.path}, func(error) { <-hangs })
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { f.Run(ctx); close(ended) }()
		poll()
		cancel()
		<-ended
		close(hangs)
	})
}
