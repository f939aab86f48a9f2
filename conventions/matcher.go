package conventions

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Glob matches a whole name; `*` stands for any run of characters and `?` for
// one. The zero value matches nothing.
type Glob struct {
	re *regexp.Regexp
}

// NewGlob compiles a glob. Every text is a valid glob.
func NewGlob(text string) Glob {
	quoted := regexp.QuoteMeta(text)
	quoted = strings.ReplaceAll(quoted, `\*`, `.*`)
	quoted = strings.ReplaceAll(quoted, `\?`, `.`)
	return Glob{re: regexp.MustCompile(`(?s)^` + quoted + `$`)}
}

// Match tells whether the glob covers the whole of name.
func (g Glob) Match(name string) bool { return g.re != nil && g.re.MatchString(name) }

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
