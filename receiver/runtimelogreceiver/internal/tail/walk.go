// SPDX-License-Identifier: Apache-2.0

package tail

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxEntries bounds the entries of one directory that a poll reads, so that one full directory
// does not take the time and memory of all.
const maxEntries = 4096

// maxTree bounds the entries that a poll reads below one directory of a root.
const maxTree = 32768

// found is a file that a pattern matches: a regular file or a link.
type found struct {
	path      string // as patterns match it
	root, rel string
	info      fs.FileInfo
}

// walk finds the files that match the patterns.
type walk struct {
	ctx     context.Context
	globs   []glob
	exclude []string
	skip    func(path string, reason Reason, err error)
	tree    int // bounds the entries that are read below one directory of a root
	// left is how much of tree remains.
	left int
	// found are the files, in the order of their directories.
	found []found
	seen  map[string]bool
}

func (w *walk) run() {
	w.seen = make(map[string]bool, cap(w.found))
	for _, g := range w.globs {
		dir, err := openDir(g.root)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				w.skip(g.root, Unreadable, err)
			}
			continue
		}
		w.left = maxEntries
		w.dir(g, dir, "")
	}
}

// dir finds files in a directory and below, and closes the directory.
func (w *walk) dir(g glob, dir *os.Root, rel string) {
	defer func() { _ = dir.Close() }()
	for _, entry := range w.entries(filepath.Join(g.root, rel), dir) {
		if w.ctx.Err() != nil {
			return
		}
		inner := path.Join(rel, entry.Name())
		kind := entry.Type()
		if !kind.IsDir() && g.matches(inner) {
			w.file(g, inner, entry)
		}
		// Links to directories are followed only if the pattern bounds the depth.
		isLink := kind&fs.ModeSymlink != 0
		if (kind.IsDir() || isLink && !g.recursive) && g.descends(inner) {
			sub, err := openSub(dir, entry.Name())
			if err == nil {
				if rel == "" {
					w.left = w.tree
				}
				w.dir(g, sub, inner)
				continue
			}
			var refuse refusal
			if errors.As(refused(err), &refuse) {
				w.skip(filepath.Join(g.root, inner), refuse.Reason, refuse.err)
			}
		}
	}
}

// entries returns the entries of a directory, sorted by name and bounded.
func (w *walk) entries(path string, dir *os.Root) []fs.DirEntry {
	opened, err := dir.Open(".")
	if err != nil {
		w.skip(path, Unreadable, err)
		return nil
	}
	defer func() { _ = opened.Close() }()
	most := min(maxEntries, w.left)
	entries, _ := opened.ReadDir(most + 1)
	if len(entries) > most {
		entries = entries[:most]
		w.skip(path, TooMany, nil)
	}
	w.left -= len(entries)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}

func (w *walk) file(g glob, rel string, entry fs.DirEntry) {
	path := filepath.Join(g.root, filepath.FromSlash(rel))
	if w.seen[path] || slices.ContainsFunc(w.exclude, func(pattern string) bool {
		return doublestar.PathMatchUnvalidated(pattern, path)
	}) {
		return
	}
	info, err := entry.Info()
	if err != nil {
		return // the file is gone
	}
	if kind := info.Mode().Type(); kind != 0 && kind != fs.ModeSymlink {
		var refuse refusal
		if errors.As(notRegular(info.Mode()), &refuse) {
			w.skip(path, refuse.Reason, nil)
		}
		return
	}
	w.seen[path] = true
	w.found = append(w.found, found{path: path, root: g.root, rel: rel, info: info})
}

// maxDepth bounds the directories below its root that a pattern with ** reaches.
const maxDepth = 32

// glob is a pattern of paths. Its root is the part before the first wildcard.
type glob struct {
	root string
	rest string
	// prefixes[n] is the pattern of directories n levels below the root.
	prefixes []string
	// recursive means that directories below the last prefix can match as well.
	recursive bool
}

func newGlob(pattern string) glob {
	root, rest := doublestar.SplitPattern(filepath.ToSlash(pattern))
	g := glob{root: filepath.FromSlash(root), rest: rest}
	parts := strings.Split(rest, "/")
	for n, part := range parts {
		g.prefixes = append(g.prefixes, path.Join(parts[:n]...))
		// Alternatives can contain slashes: {a/b,c}.
		if part == "**" || strings.Count(part, "{") != strings.Count(part, "}") {
			g.recursive = true
			break
		}
	}
	return g
}

func (g glob) matches(rel string) bool { return doublestar.MatchUnvalidated(g.rest, rel) }

// descends reports whether files below a directory can match.
func (g glob) descends(rel string) bool {
	depth := strings.Count(rel, "/") + 1
	if depth < len(g.prefixes) {
		return doublestar.MatchUnvalidated(g.prefixes[depth], rel)
	}
	if !g.recursive || depth > maxDepth {
		return false
	}
	known := len(g.prefixes) - 1
	return known == 0 || doublestar.MatchUnvalidated(g.prefixes[known], path.Join(strings.Split(rel, "/")[:known]...))
}

// ValidateGlobs returns an error for the first invalid pattern.
func ValidateGlobs(patterns []string) error {
	for _, pattern := range patterns {
		if !doublestar.ValidatePathPattern(pattern) {
			return fmt.Errorf("parse glob: %w (got %q)", doublestar.ErrBadPattern, pattern)
		}
	}
	return nil
}
