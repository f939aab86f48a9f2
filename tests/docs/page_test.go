// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// repository is the root, as seen from the tests.
const repository = "../.."

// page is a document in Markdown.
type page struct {
	path   string // from the repository's root
	blocks []block
	text   string // all but the blocks
}

// block is what stands between fences.
type block struct {
	kind, text string
	line       int // of its fence
}

func readPage(t *testing.T, path string) page {
	t.Helper()
	return parsePage(path, read(t, path))
}

// read returns the text of a file of the repository.
func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(repository, path))
	require.NoError(t, err)
	return string(content)
}

func parsePage(path, content string) page {
	const fence = "```"
	p := page{path: path}
	var open *block
	for number, line := range strings.Split(content, "\n") {
		kind, isFence := strings.CutPrefix(line, fence)
		switch {
		case isFence && open == nil:
			open = &block{kind: kind, line: number + 1}
		case isFence:
			p.blocks = append(p.blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		default:
			p.text += line + "\n"
		}
	}
	return p
}

// commands are all of the page's.
func (p page) commands() (text string) {
	for _, b := range p.blocks {
		if b.kind == "sh" {
			text += b.text
		}
	}
	return text
}

// heading is what an anchor leads to.
var heading = regexp.MustCompile(`(?m)^#+ (.*)$`)

// anchor is one that stands for itself.
var anchor = regexp.MustCompile(`<a id="([^"]+)"></a>`)

// anchors are those that GitHub makes of the headings, and those that stand for themselves.
func (p page) anchors() (all []string) {
	for _, match := range anchor.FindAllStringSubmatch(p.text, -1) {
		all = append(all, match[1])
	}
	for _, match := range heading.FindAllStringSubmatch(anchor.ReplaceAllString(p.text, ""), -1) {
		anchor := regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(match[1]), "")
		all = append(all, strings.ReplaceAll(anchor, " ", "-"))
	}
	return all
}

// documents are the pages for those who run a cluster.
func documents(t *testing.T) (paths []string) {
	t.Helper()
	return matching(t, "docs/*.md")
}

// matching returns the files of the repository that match a pattern, at least one.
func matching(t *testing.T, pattern string) (paths []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repository, pattern))
	require.NoError(t, err)
	require.NotEmpty(t, files, pattern)
	for _, file := range files {
		path, err := filepath.Rel(repository, file)
		require.NoError(t, err)
		paths = append(paths, path)
	}
	return paths
}

// below returns the files of the whole repository whose names end so. What tools and other programs brought along is
// not ours.
func below(t *testing.T, suffix string) (paths []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(repository, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != repository && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case !strings.HasSuffix(file, suffix):
			return nil
		}
		path, err := filepath.Rel(repository, file)
		paths = append(paths, path)
		return err
	}))
	return paths
}
