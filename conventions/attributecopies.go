// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// AttributeCopy is a copy of an attribute, or of a field of its value, under another key.
type AttributeCopy struct {
	// Key is the key of the copy.
	Key string `yaml:"key"`
	// Type is the type of the copy. A value that cannot be converted without loss is not copied.
	Type ValueType `yaml:"type"`
	// Values maps values, without case, to those of the copy. A value that is not listed is not copied.
	Values map[string]string `yaml:"values"`
	// With is the key of an attribute beside which alone there is a copy.
	With string `yaml:"with"`
}

// The texts with a meaning of their own in AttributeCopy.Values.
const (
	// OtherValues is the key for the values that are not listed.
	OtherValues = "*"
	// SameValue is the value in lower case.
	SameValue = "{}"
)

// AttributeCopies are copies of one attribute. In YAML one copy needs no list.
type AttributeCopies []AttributeCopy

// UnmarshalYAML reads a copy or a list of copies.
func (c *AttributeCopies) UnmarshalYAML(node *yaml.Node) error {
	if resolved(node).Kind == yaml.SequenceNode {
		var list []AttributeCopy
		err := node.Decode(&list)
		*c = list
		return err
	}
	var one AttributeCopy
	err := node.Decode(&one)
	*c = AttributeCopies{one}
	return err
}

// resolved returns the node that an alias stands for, or the node itself.
func resolved(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// FieldCopies are the copies of an attribute's fields, in the order of the pack. In YAML they are a mapping.
type FieldCopies []FieldCopy

// FieldCopy is the copies of one field.
type FieldCopy struct {
	Field  string
	Copies AttributeCopies
}

// UnmarshalYAML reads a mapping from a field to its copies.
func (f *FieldCopies) UnmarshalYAML(node *yaml.Node) error {
	var byField map[string]AttributeCopies
	if err := node.Decode(&byField); err != nil {
		return err
	}
	*f = nil
	mapping := resolved(node)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		field := mapping.Content[i].Value
		if copies, ok := byField[field]; ok {
			*f = append(*f, FieldCopy{field, copies})
			delete(byField, field)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(byField)) { // of a mapping that is merged in
		*f = append(*f, FieldCopy{field, byField[field]})
	}
	return nil
}

// MessageRule makes one list of the messages whose fields are attributes of their own.
type MessageRule struct {
	// From is the beginning of the keys.
	From string `yaml:"from"`
	// To is the key of the list.
	To string `yaml:"to"`
	// Form is the convention of the keys.
	Form MessageForm `yaml:"form"`
}

// MessageForm is a convention for the keys of messages.
type MessageForm string

// The conventions for the keys of messages.
const (
	// FormOpenInference is N.message.role, N.message.tool_calls.M.tool_call.function.name and so on.
	FormOpenInference MessageForm = "openinference"
	// FormOpenLLMetry is N.role, N.tool_calls.M.name and so on.
	FormOpenLLMetry MessageForm = "openllmetry"
)
