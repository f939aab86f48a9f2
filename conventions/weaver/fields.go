// SPDX-License-Identifier: Apache-2.0

package weaver

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// place is a line in a registry's file.
type place struct {
	file string
	line int
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// word is a text of a registry with its place. The zero word means that there is no text.
type word struct {
	text string
	place
}

// fields holds the values of a YAML mapping by key. There is no schema, because a registry may have
// unknown keys, and because a schema gives poor errors for deprecated, which is a text or a mapping.
type fields struct {
	reader *reader
	place  place
	what   string
	values map[string]yaml.Node
}

// fields reads a mapping. A node of another kind is a fault and gives no fields.
func (r *reader) fields(file string, node *yaml.Node, what string) fields {
	f := fields{reader: r, place: place{file, node.Line}, what: what}
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node.Kind != yaml.MappingNode {
		r.fail(f.place, "%s: must be a mapping (got %s)", what, describe(node))
	} else if err := node.Decode(&f.values); err != nil {
		r.fail(f.place, "%s: %w", what, err)
	}
	return f
}

// get returns the value of a key, or nil.
func (f fields) get(key string) *yaml.Node {
	node, ok := f.values[key]
	if !ok || node.ShortTag() == "!!null" {
		return nil
	}
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return &node
}

// fail records a fault at a node of the same file.
func (f fields) fail(node *yaml.Node, format string, args ...any) {
	f.reader.fail(place{f.place.file, node.Line}, format, args...)
}

// text returns a text, or the zero word.
func (f fields) text(key string) word {
	node := f.get(key)
	if node == nil {
		return word{}
	}
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!str" || node.Value == "" {
		f.fail(node, "%s: must be a text (got %s)", key, describe(node))
		return word{}
	}
	return word{node.Value, place{f.place.file, node.Line}}
}

// required returns a text that must be present.
func (f fields) required(key string) word {
	if f.get(key) == nil {
		f.reader.fail(f.place, "%s: %s is missing", f.what, key)
	}
	return f.text(key)
}

// oneOf returns a text that must be one of the allowed ones.
func (f fields) oneOf(key string, allowed ...string) string {
	w := f.text(key)
	if w.text != "" && !slices.Contains(allowed, w.text) {
		f.reader.fail(w.place, "%s: must be one of %s (got %q)", key, strings.Join(allowed, ", "), w.text)
		return ""
	}
	return w.text
}

// list returns the items of a list.
func (f fields) list(key string) []*yaml.Node {
	node := f.get(key)
	if node == nil {
		return nil
	}
	if node.Kind != yaml.SequenceNode {
		f.fail(node, "%s: must be a list (got %s)", key, describe(node))
		return nil
	}
	return node.Content
}

// describe returns a description of a node for errors.
func describe(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("%q", node.Value)
}
