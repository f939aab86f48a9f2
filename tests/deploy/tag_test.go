// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// `make tag` makes a tag of a commit that can be released, and of no other.
func TestTag(t *testing.T) {
	version := releaseVersion(t)
	dir := t.TempDir()
	for _, name := range []string{"Makefile", "go.mod", "tests/tools.mk", "builder-config.yaml", "deploy/release/tag"} {
		content, err := os.ReadFile(filepath.Join("../..", name))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o755))
	}
	run := func(name string, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		// make sets variables for the makes that it runs.
		for _, v := range os.Environ() {
			if !strings.HasPrefix(v, "MAKE") && !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "MFLAGS=") {
				cmd.Env = append(cmd.Env, v)
			}
		}
		cmd.Env = append(cmd.Env, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		output, err := cmd.CombinedOutput()
		return string(output), err
	}
	git := func(args ...string) string {
		t.Helper()
		output, err := run("git", args...)
		require.NoError(t, err, output)
		return output
	}
	commit := func(changelog string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "CHANGELOG.md"), []byte(changelog), 0o644))
		git("add", "--all")
		git("commit", "--quiet", "--message", "a change")
	}
	refused := func(want, version string) {
		t.Helper()
		output, err := run("make", "tag", "VERSION="+version)
		require.Error(t, err, output)
		assert.Contains(t, output, want)
		assert.Empty(t, git("tag"))
	}

	git("init", "--quiet")
	commit("# Changelog\n\n## Unreleased\n")
	refused("CHANGELOG.md: must have a section \"## "+version+" - YYYY-MM-DD\"", version)
	refused("builder-config.yaml: dist.version must be the version of the tag, 99.0.0 (got "+version+")", "99.0.0")
	commit("# Changelog\n\n## " + version + " - 2026-01-02\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "new"), nil, 0o644))
	refused("the work tree must be clean", version)
	require.NoError(t, os.Remove(filepath.Join(dir, "new")))

	output, err := run("make", "tag", "VERSION="+version)
	require.NoError(t, err, output)
	assert.Equal(t, "tag", strings.TrimSpace(git("cat-file", "-t", "v"+version)), "an annotated one")
	assert.Equal(t, git("rev-parse", "HEAD"), git("rev-parse", "v"+version+"^{commit}"))
	again, err := run("make", "tag", "VERSION="+version)
	require.Error(t, err)
	assert.Contains(t, again, "already exists")
	printed, err := run("make", "--silent", "version")
	require.NoError(t, err)
	assert.Equal(t, version+"\n", printed)
}
