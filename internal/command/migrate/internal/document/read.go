// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	// MaxSize is the size of the largest file, in bytes.
	MaxSize = 16 << 20
	// maxDepth bounds how deep values are inside of others.
	maxDepth = 500
)

// Format is the format of a text.
type Format uint8

// The formats.
const (
	YAML Format = iota
	JSON
)

// Read reads the documents of a text. Errors have the number of the line.
func Read(text string, format Format) ([]*Node, error) { return read(&file{text: text}, format) }

// Embedded reads the documents of a string.
func (n *Node) Embedded(format Format) ([]*Node, error) {
	return read(&file{text: n.Text, within: n}, format)
}

func read(f *file, format Format) ([]*Node, error) {
	if len(f.text) > MaxSize {
		return nil, fmt.Errorf("must have at most %d MiB", MaxSize>>20)
	}
	if format == JSON {
		return readJSON(f)
	}
	return readYAML(f)
}

var errDepth = fmt.Errorf("must not have values more than %d deep", maxDepth)

// reader reads a JSON text.
type reader struct {
	*json.Decoder
	file *file
}

func readJSON(f *file) ([]*Node, error) {
	r := reader{json.NewDecoder(strings.NewReader(f.text)), f}
	r.UseNumber()
	root, err := r.value(0)
	if err == nil {
		if _, end := r.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("there is text behind the document")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", 1+strings.Count(f.text[:min(int(r.InputOffset()), len(f.text))], "\n"), err)
	}
	return []*Node{root}, nil
}

func (r reader) value(depth int) (*Node, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	offset := r.skip()
	token, err := r.Token()
	if err != nil {
		return nil, err
	}
	node := &Node{file: r.file, offset: offset}
	switch token := token.(type) {
	case string:
		node.Kind, node.Text, node.style = Text, token, doubleQuoted
	case json.Delim:
		node.Kind = List
		if token == '{' {
			node.Kind = Object
		}
		for r.More() {
			if node.Kind == Object {
				key, err := r.value(depth + 1)
				if err != nil {
					return nil, err
				}
				node.Keys = append(node.Keys, key)
			}
			item, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			node.Items = append(node.Items, item)
		}
		if _, err := r.Token(); err != nil {
			return nil, err
		}
	default:
		node.Text = fmt.Sprint(token)
	}
	return node, nil
}

// skip returns where the next value begins.
func (r reader) skip() int {
	at := int(r.InputOffset())
	for at < len(r.file.text) && (isSpace(r.file.text[at]) || r.file.text[at] == ',' || r.file.text[at] == ':') {
		at++
	}
	return at
}

func readYAML(f *file) ([]*Node, error) {
	lines := []int{0}
	for i := range len(f.text) {
		if f.text[i] == '\n' {
			lines = append(lines, i+1)
		}
	}
	var all []*Node
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(f.text)))
	for {
		var root yaml.Node
		err := decoder.Decode(&root)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
		}
		for _, content := range root.Content {
			node, err := fromYAML(f, lines, content, false, 0)
			if err != nil {
				return nil, err
			}
			all = append(all, node)
		}
	}
}

// fromYAML converts a node. An alias of a scalar is that scalar, where its anchor is. Other aliases have no
// content.
func fromYAML(f *file, lines []int, from *yaml.Node, flow bool, depth int) (*Node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("line %d: %w", from.Line, errDepth)
	}
	if from.Kind == yaml.AliasNode && from.Alias != nil && from.Alias.Kind == yaml.ScalarNode {
		from = from.Alias // a text that is used several times
	}
	node := &Node{Text: from.Value, file: f, offset: offsetOf(f.text, lines, from.Line, from.Column), flow: flow}
	switch from.Kind {
	case yaml.MappingNode:
		node.Kind = Object
	case yaml.SequenceNode:
		node.Kind = List
	case yaml.ScalarNode:
		if from.ShortTag() == "!!str" {
			node.Kind = Text
		}
		node.style = styleOf(from.Style)
	}
	for i, content := range from.Content {
		child, err := fromYAML(f, lines, content, flow || from.Style&yaml.FlowStyle != 0, depth+1)
		if err != nil {
			return nil, err
		}
		if node.Kind == Object && i%2 == 0 {
			node.Keys = append(node.Keys, child)
		} else {
			node.Items = append(node.Items, child)
		}
	}
	return node, nil
}

func styleOf(of yaml.Style) style {
	switch {
	case of&yaml.DoubleQuotedStyle != 0:
		return doubleQuoted
	case of&yaml.SingleQuotedStyle != 0:
		return singleQuoted
	case of&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return block
	}
	return plain
}

// offsetOf returns the offset of a line and a column, which counts characters.
func offsetOf(text string, lines []int, line, column int) int {
	if line < 1 || line > len(lines) {
		return len(text)
	}
	at := lines[line-1]
	for i := range text[at:] {
		if column--; column < 1 {
			return at + i
		}
	}
	return len(text)
}
