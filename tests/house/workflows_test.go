// SPDX-License-Identifier: Apache-2.0

package house

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, path))
	require.NoError(t, err)
	return string(text)
}

// submatches returns the first group of each match.
func submatches(pattern, text string) (all []string) {
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	return all
}

// GitHub's runners do what .ci/run does.
func TestWorkflowRunsWhatCIRuns(t *testing.T) {
	var workflow struct {
		Jobs map[string]struct {
			Container string
			Strategy  struct{ Matrix struct{ Target []string } }
			Steps     []struct{ Run string }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(readFile(t, ".github/workflows/ci.yml")), &workflow))
	job := workflow.Jobs["make"]
	assert.Equal(t, submatches(`(?m)^make ([a-z-]+)$`, readFile(t, ".ci/run")), job.Strategy.Matrix.Target)
	require.NotEmpty(t, job.Steps)
	assert.Equal(t, "make ${{ matrix.target }}", job.Steps[len(job.Steps)-1].Run)
	image := submatches(`(?m)^FROM .*(golang:\S+) AS build$`, readFile(t, "deploy/container/Dockerfile"))
	require.Len(t, image, 1)
	assert.Equal(t, image[0], job.Container, "the image of deploy/container/Dockerfile")
}

func TestReleaseIsBuiltByMake(t *testing.T) {
	text := readFile(t, ".github/workflows/release.yml")
	assert.Subset(t, submatches(`(?m)make (?:--silent )?([a-z-]+)`, text), []string{"release", "version"})
	assert.Equal(t, submatches(`(?m)^FROM .*golang:(\S+) AS build$`, readFile(t, "deploy/container/Dockerfile")),
		submatches(`go-version: (\S+)`, text), "the version of Go in deploy/container/Dockerfile")
}

// A tag of an action can be moved to other code, a commit cannot.
func TestActionsArePinned(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(repository, ".github/workflows/*.yml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, action := range submatches(`(?m)uses: (.*)$`, string(text)) {
			assert.Regexp(t, `^[a-z/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`, action, file)
		}
	}
}

// Whatever a workflow or a document asks make for is there.
func TestMakeTargetsThatAreNamedExist(t *testing.T) {
	targets := submatches(`(?m)^([a-z-]+):(?:[^=]|$)`, readFile(t, "Makefile"))
	named := 0
	for _, path := range []string{"CONTRIBUTING.md", "README.md", "SECURITY.md", ".github/pull_request_template.md", ".github/workflows/ci.yml", ".github/workflows/release.yml"} {
		for _, target := range submatches("(?m)(?:^|`|run: |\\()make (?:--silent )?([a-z-]+)", readFile(t, path)) {
			named++
			assert.Contains(t, targets, target, path)
		}
	}
	assert.Greater(t, named, 15)
}

// Bash ends with an assignment that fails, but ignores a command in an argument: go test would
// test the root package alone.
func TestMakeTestSeesThatListingFails(t *testing.T) {
	assert.Empty(t, regexp.MustCompile(`(?m)^\t.*\$\(GO_TEST\).*\$\$\(.*$`).FindAllString(readFile(t, "Makefile"), -1))
}
