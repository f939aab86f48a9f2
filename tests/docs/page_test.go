// SPDX-License-Identifier: Apache-2.0

package docs

import (
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
	content, err := os.ReadFile(filepath.Join(repository, path))
	require.NoError(t, err)
	return parsePage(path, string(content))
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
	files, err := filepath.Glob(filepath.Join(repository, "docs", "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		path, err := filepath.Rel(repository, file)
		require.NoError(t, err)
		paths = append(paths, path)
	}
	return paths
}
