// SPDX-License-Identifier: Apache-2.0

// Package glob matches names with patterns in which a star matches any text.
package glob

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Glob matches a complete name. `*` matches any run of characters. The zero Glob matches the empty name
// only.
type Glob struct {
	parts []string // the texts before, between and after the stars
}

// New returns the glob of a text. Every text is a valid glob.
func New(text string) Glob { return Glob{parts: strings.Split(text, "*")} }

// Match reports whether the glob matches the complete name.
func (g Glob) Match(name string) bool {
	if len(g.parts) < 2 {
		return name == g.String()
	}
	first, middle, last := g.parts[0], g.parts[1:len(g.parts)-1], g.parts[len(g.parts)-1]
	name, ok := strings.CutPrefix(name, first)
	if !ok {
		return false
	}
	for _, part := range middle {
		// The leftmost match leaves the most text for the next parts.
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name = name[i+len(part):]
	}
	return strings.HasSuffix(name, last)
}

// String returns the text of the glob.
func (g Glob) String() string { return strings.Join(g.parts, "*") }

// Specific orders globs by how specific they are, the most specific first: the longest text
// between the stars, then the fewest stars, then the text.
func Specific(a, b Glob) int {
	one, other := a.String(), b.String()
	stars := strings.Count(one, "*") - strings.Count(other, "*")
	return cmp.Or(len(other)-len(one)+stars, stars, strings.Compare(one, other))
}

// UnmarshalText reads a glob.
func (g *Glob) UnmarshalText(text []byte) error {
	*g = New(string(text))
	return nil
}

// List matches the names that one of its globs matches. In YAML it is a glob or a list of globs.
type List []Glob

// Match reports whether one of the globs matches the complete name.
func (l List) Match(name string) bool {
	return slices.ContainsFunc(l, func(g Glob) bool { return g.Match(name) })
}

// UnmarshalYAML reads a scalar or a list of scalars.
func (l *List) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*l = List{New(node.Value)}
		return nil
	}
	return node.Decode((*[]Glob)(l))
}
