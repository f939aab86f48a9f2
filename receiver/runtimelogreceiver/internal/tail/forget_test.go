// SPDX-License-Identifier: Apache-2.0

//go:build unix

package tail

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
