// SPDX-License-Identifier: Apache-2.0

package pipetest

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// marshal returns documents of OTLP JSON as one YAML stream. The text is deterministic: keys in OTLP's
// order, one attribute per line.
func marshal(documents [][]byte) (string, error) {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	for _, document := range documents {
		decoder := json.NewDecoder(bytes.NewReader(document))
		decoder.UseNumber()
		node, err := readNode(decoder)
		if err != nil {
			return "", fmt.Errorf("%s: %w", document, err)
		}
		if err := encoder.Encode(node); err != nil {
			return "", err
		}
	}
	return text.String(), nil
}

// readNode reads one JSON value. It reads tokens, because a map would lose the order of the keys.
func readNode(decoder *json.Decoder) (*yaml.Node, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return readMapping(decoder)
	case json.Delim('['):
		node := &yaml.Node{Kind: yaml.SequenceNode}
		for decoder.More() {
			child, err := readNode(decoder)
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, child)
		}
		_, err := decoder.Token()
		return node, err
	}
	if number, ok := token.(json.Number); ok {
		// The original digits, because a float64 could round them.
		return &yaml.Node{Kind: yaml.ScalarNode, Value: number.String()}, nil
	}
	node := &yaml.Node{}
	return node, node.Encode(token)
}

// readMapping reads the rest of a JSON object.
func readMapping(decoder *json.Decoder) (*yaml.Node, error) {
	node := &yaml.Node{Kind: yaml.MappingNode}
	for decoder.More() {
		key, err := readNode(decoder)
		if err != nil {
			return nil, err
		}
		value, err := readNode(decoder)
		if err != nil {
			return nil, err
		}
		if isNoise(key, value) {
			continue
		}
		if key.Value == "key" {
			// An attribute is most readable as {key: …, value: …}.
			node.Style = yaml.FlowStyle
		}
		node.Content = append(node.Content, key, value)
	}
	_, err := decoder.Token()
	return node, err
}

// isNoise reports whether the marshalers write the field even if it is empty.
func isNoise(key, value *yaml.Node) bool {
	switch key.Value {
	case "resource", "scope", "status":
		return value.Kind == yaml.MappingNode && len(value.Content) == 0
	default:
		return false
	}
}
