package conventions

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Glob matches a whole name; `*` stands for any run of characters. The zero value
// matches the empty name only.
type Glob struct {
	parts []string // what stands before, between and after the stars
}

// NewGlob makes a glob. Every text is a valid glob.
func NewGlob(text string) Glob { return Glob{parts: strings.Split(text, "*")} }

// Match tells whether the glob covers the whole of name.
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
		// The leftmost place leaves most room for the parts to come.
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name = name[i+len(part):]
	}
	return strings.HasSuffix(name, last)
}

// String is the text that the glob was made of.
func (g Glob) String() string { return strings.Join(g.parts, "*") }

// UnmarshalYAML reads a glob from a scalar.
func (g *Glob) UnmarshalYAML(node *yaml.Node) error {
	*g = NewGlob(node.Value)
	return nil
}

// Pattern is a regular expression in RE2 syntax, searched anywhere in a name.
type Pattern struct {
	*regexp.Regexp
}

// UnmarshalYAML compiles a pattern; the error names its line and text.
func (p *Pattern) UnmarshalYAML(node *yaml.Node) error {
	re, err := regexp.Compile(node.Value)
	if err != nil {
		return &lineError{node.Line, fmt.Errorf("pattern %q: %w", node.Value, err)}
	}
	p.Regexp = re
	return nil
}

// Placeholder names a group of a span rule's pattern. It is written {group}.
type Placeholder string

// Group returns the group's name, and whether text is a placeholder at all.
func (p Placeholder) Group() (string, bool) {
	name, ok := strings.CutPrefix(string(p), "{")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, "}")
}
