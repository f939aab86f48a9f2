// SPDX-License-Identifier: Apache-2.0

// Package document reads JSON and YAML files so that texts in them can be changed where they are.
// Everything else of a file stays as it is: order, form and comments.
package document

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Kind is the kind of a node.
type Kind uint8

// The kinds.
const (
	Other  Kind = iota // a number, a boolean, null or an alias
	Text               // a string
	Object             // a mapping
	List               // a sequence
)

// Node is a value of a document.
type Node struct {
	Kind Kind
	// Text is the value of a string, a number or a boolean.
	Text string
	// Keys are the keys of an object, in order, and Items its values, or the elements of a list.
	Keys, Items []*Node

	file         *file
	line, column int // in the file's text, from 1
	style        yaml.Style
	flow         bool // in a flow collection
}

// file is a text with documents. A text inside of a document has that document's string.
type file struct {
	text   string
	lines  []int // where they begin
	within *Node
}

// Get returns the value of a key, or nil.
func (n *Node) Get(keys ...string) *Node {
	for _, key := range keys {
		if n == nil || n.Kind != Object {
			return nil
		}
		var found *Node
		for i, k := range n.Keys {
			if k.Text == key {
				found = n.Items[i]
			}
		}
		n = found
	}
	return n
}

// String returns the text of a string, or "".
func (n *Node) String() string {
	if n == nil || n.Kind != Text {
		return ""
	}
	return n.Text
}

// Elements returns the elements of a list.
func (n *Node) Elements() []*Node {
	if n == nil || n.Kind != List {
		return nil
	}
	return n.Items
}

// errPlace means that a text in a file could not be found again.
var errPlace = errors.New("the text cannot be changed where it is in the file")

// ID is the same for nodes at the same place of the same text.
type ID struct {
	file         *file
	line, column int
}

// ID returns the node's place.
func (n *Node) ID() ID { return ID{n.file, n.line, n.column} }

// offset returns where the node begins in its file's text. A column counts characters.
func (n *Node) offset() int {
	text, start, column := n.file.text, n.file.lines[min(n.line, len(n.file.lines))-1], 1
	for i := range text[start:] {
		if column == n.column {
			return start + i
		}
		column++
	}
	return len(text)
}

// Place returns the edits of the file for edits of a string.
func (n *Node) Place(edits []Edit) ([]Edit, error) {
	if n.Kind != Text {
		return nil, errPlace
	}
	at, err := n.align()
	if err != nil {
		return nil, err
	}
	placed := make([]Edit, len(edits))
	for i, e := range edits {
		text, err := n.escape(e.Text)
		if err != nil {
			return nil, err
		}
		placed[i] = Edit{Start: at.start(e), End: at.end(e), Text: text}
		if placed[i].Start < 0 || placed[i].End < placed[i].Start {
			return nil, errPlace
		}
	}
	if n.file.within != nil {
		return n.file.within.Place(placed)
	}
	return placed, nil
}

// Line returns the number of the line of a node in the file, from 1.
func (n *Node) Line() int {
	if n.file.within == nil {
		return n.line
	}
	offset, f := n.offset(), n.file
	for f.within != nil {
		outer := f.within
		at, err := outer.align()
		if err != nil {
			return outer.Line()
		}
		for offset < len(f.text) && isSpace(f.text[offset]) {
			offset++
		}
		offset, f = max(at.starts[min(offset, len(at.starts)-1)], 0), outer.file
	}
	return 1 + strings.Count(f.text[:min(offset, len(f.text))], "\n")
}

// escape returns a text as it is written inside of the string.
func (n *Node) escape(text string) (string, error) {
	switch {
	case n.is(yaml.SingleQuotedStyle):
		return strings.ReplaceAll(text, "'", "''"), nil
	case n.is(yaml.DoubleQuotedStyle):
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text), nil
	case !n.isBlock():
		if n.flow && strings.ContainsAny(text, ",[]{}") || strings.Contains(text, ": ") || strings.Contains(text, " #") {
			return "", fmt.Errorf("put the text in quotes: %s cannot be added to it", text)
		}
	}
	return text, nil
}

// is reports whether a string is written in a style.
func (n *Node) is(style yaml.Style) bool { return n.style&style != 0 }

func (n *Node) isBlock() bool { return n.is(yaml.LiteralStyle | yaml.FoldedStyle) }
