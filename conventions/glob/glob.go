// Package glob matches names in which a star stands for any text.
package glob

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Glob matches a whole name; `*` stands for any run of characters. The zero value
// matches the empty name only.
type Glob struct {
	parts []string // what stands before, between and after the stars
}

// New returns the glob of a text. Every text is a valid glob.
func New(text string) Glob { return Glob{parts: strings.Split(text, "*")} }

// Match reports whether the glob covers the whole of name.
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
		// The leftmost match leaves most room for the parts to come.
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name = name[i+len(part):]
	}
	return strings.HasSuffix(name, last)
}

// String returns the text that the glob was made of.
func (g Glob) String() string { return strings.Join(g.parts, "*") }

// UnmarshalText reads a glob.
func (g *Glob) UnmarshalText(text []byte) error {
	*g = New(string(text))
	return nil
}

// List matches what one of its globs matches. In YAML it is one glob or a list.
type List []Glob

// Match reports whether one of the globs covers the whole of name.
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
