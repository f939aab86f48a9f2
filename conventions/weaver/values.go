// SPDX-License-Identifier: Apache-2.0

package weaver

import (
	"fmt"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

// word is a text with its line.
type word struct {
	text string
	line int
}

// UnmarshalYAML reads a text.
func (w *word) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!str" || node.Value == "" {
		return fault(node, "must be a text")
	}
	*w = word{node.Value, node.Line}
	return nil
}

// fault returns the error of a node. The decoder gathers those of a document.
func fault(node *yaml.Node, rule string) error {
	got := fmt.Sprintf("%q", node.Value)
	switch node.Kind {
	case yaml.MappingNode:
		got = "a mapping"
	case yaml.SequenceNode:
		got = "a list"
	}
	return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %s (got %s)", node.Line, rule, got)}}
}

// deprecated has the new name of a deprecated name. Older registries give the reason as text, from which no rule can
// be made.
type deprecated struct{ to string }

// UnmarshalYAML reads the reason and the new name.
func (d *deprecated) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return nil
	}
	var given struct {
		Reason    string `yaml:"reason"`
		RenamedTo word   `yaml:"renamed_to"`
	}
	if err := node.Decode(&given); err != nil {
		return err
	}
	if given.Reason == "renamed" {
		d.to = given.RenamedTo.text
	}
	return nil
}

// valueType is the type of an attribute, without its renames.
type valueType Attribute

// simpleType matches a type other than an enumeration.
var simpleType = regexp.MustCompile(`^(?:(template)\[)?(string|int|double|boolean|any)(\[\])?(\])?$`)

// UnmarshalYAML reads a type: a name, or a mapping of an enumeration's members.
func (t *valueType) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.MappingNode {
		return t.readEnum(node)
	}
	m := simpleType.FindStringSubmatch(node.Value)
	switch {
	case m == nil || (m[1] != "") != (m[4] != ""):
		return fault(node, "type: must be string, int, double, boolean, any, one of them with [], template[…] of one, or a mapping of members")
	case m[1] != "":
		t.Template = true
	case m[3] == "":
		t.Type = valueTypes[m[2]]
	}
	return nil
}

// valueTypes maps a registry's types to those of Attribute. The type any has none.
var valueTypes = map[string]string{
	"string": "string", "int": "int", "double": "double", "boolean": "bool",
	// By the YAML tag of a member's value. YAML reads a version in the form of a date as a timestamp.
	"!!str": "string", "!!timestamp": "string", "!!int": "int", "!!float": "double", "!!bool": "bool",
}

// otherMember is the member that makes OpenTelemetry's own enumerations open: error.type can have any
// value.
const otherMember = "_OTHER"

// readEnum reads the members of an enumeration. Members of several types give none.
func (t *valueType) readEnum(node *yaml.Node) error {
	var given struct {
		Members []struct {
			Value yaml.Node `yaml:"value"`
		} `yaml:"members"`
		Custom bool `yaml:"allow_custom_values"`
	}
	if err := node.Decode(&given); err != nil {
		return err
	}
	var types []string
	for i := range given.Members {
		value := &given.Members[i].Value
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		kind := valueTypes[value.ShortTag()]
		if kind == "" {
			value.Line = max(value.Line, node.Line) // it has none if it is missing
			return fault(value, "type: each member needs a value that is a string, int, double or boolean")
		}
		if !slices.Contains(types, kind) {
			types = append(types, kind)
		}
		if !slices.Contains(t.Allowed, value.Value) {
			t.Allowed = append(t.Allowed, value.Value)
		}
	}
	if len(types) == 1 {
		t.Type = types[0]
	}
	if t.Type != "string" || given.Custom || slices.Contains(t.Allowed, otherMember) {
		t.Allowed = nil
	}
	return nil
}
