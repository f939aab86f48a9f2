// SPDX-License-Identifier: Apache-2.0

package document

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxSize is the size of the largest file, in bytes.
const MaxSize = 16 << 20

// escape matches an escape, and as a whole one that is half of a character.
var escape = regexp.MustCompile(`\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.`)

// asYAML returns a text whose escapes are those of YAML. JSON has two that our parser does not know. They become others
// of the same length, so that all places stay: a slash behind a space, and private characters for halves of characters.
func asYAML(text string) string {
	return escape.ReplaceAllStringFunc(text, func(e string) string {
		switch {
		case e == `\/`:
			return " /"
		case len(e) > 2:
			return `\ue` + e[3:]
		}
		return e
	})
}

// Read reads the documents of a text, which is YAML or JSON. Errors have the number of the line.
func Read(text string) ([]*Node, error) { return read(&file{text: text}) }

// Embedded reads the documents of a string.
func (n *Node) Embedded() ([]*Node, error) { return read(&file{text: n.Text, within: n}) }

// read reads JSON as YAML, whose subset it is.
func read(f *file) ([]*Node, error) {
	if len(f.text) > MaxSize {
		return nil, fmt.Errorf("must have at most %d MiB", MaxSize>>20)
	}
	f.text = asYAML(f.text)
	f.lines = []int{0}
	for i := range len(f.text) {
		if f.text[i] == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	var all []*Node
	decoder := yaml.NewDecoder(strings.NewReader(f.text))
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
			all = append(all, fromYAML(f, content, false))
		}
	}
}

// fromYAML converts a node. An alias of a scalar is that scalar, where its anchor is. Other aliases have no
// content.
func fromYAML(f *file, from *yaml.Node, flow bool) *Node {
	if from.Kind == yaml.AliasNode && from.Alias != nil && from.Alias.Kind == yaml.ScalarNode {
		from = from.Alias // a text that is used several times
	}
	node := &Node{Text: from.Value, file: f, line: from.Line, column: from.Column, style: from.Style, flow: flow}
	switch from.Kind {
	case yaml.MappingNode:
		node.Kind = Object
	case yaml.SequenceNode:
		node.Kind = List
	case yaml.ScalarNode:
		if from.ShortTag() == "!!str" {
			node.Kind = Text
		}
	}
	for i, content := range from.Content {
		child := fromYAML(f, content, flow || from.Style&yaml.FlowStyle != 0)
		if node.Kind == Object && i%2 == 0 {
			node.Keys = append(node.Keys, child)
		} else {
			node.Items = append(node.Items, child)
		}
	}
	return node
}
