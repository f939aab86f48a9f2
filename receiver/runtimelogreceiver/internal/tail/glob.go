// SPDX-License-Identifier: Apache-2.0

package tail

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

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
