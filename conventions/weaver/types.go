// SPDX-License-Identifier: Apache-2.0

package weaver

import (
	"fmt"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

// simpleType matches a type other than an enumeration.
var simpleType = regexp.MustCompile(`^(?:(template)\[)?(string|int|double|boolean|any)(\[\])?(\])?$`)

func (r *reader) readType(a fields) Attribute {
	node := a.get("type")
	if node != nil && node.Kind == yaml.MappingNode {
		return r.readEnum(r.fields(a.place.file, node, "type"))
	}
	text := a.required("type")
	if text.text == "" {
		return Attribute{}
	}
	m := simpleType.FindStringSubmatch(text.text)
	if m == nil || (m[1] != "") != (m[4] != "") {
		r.fail(text.place, "type: must be string, int, double, boolean, any, one of them with [], template[…] of one, or a mapping of members (got %q)", text.text)
		return Attribute{}
	}
	if m[1] != "" {
		return Attribute{Template: true}
	}
	if m[3] != "" {
		return Attribute{}
	}
	return Attribute{Type: valueTypes[m[2]]}
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

func (r *reader) readEnum(e fields) Attribute {
	if e.get("members") == nil {
		r.fail(e.place, "type: members is missing")
	}
	var a Attribute
	ids := newNames("member")
	mixed := false
	for _, node := range e.list("members") {
		m := r.fields(e.place.file, node, "member")
		if m.values == nil {
			continue
		}
		r.declare(ids, m.required("id"), word{})
		value := m.get("value")
		if value == nil || valueTypes[value.ShortTag()] == "" {
			r.fail(m.place, "member: value must be a string, int, double or boolean%s", gotValue(value))
			continue
		}
		valueType := valueTypes[value.ShortTag()]
		mixed = mixed || a.Type != "" && a.Type != valueType
		a.Type = valueType
		if !slices.Contains(a.Allowed, value.Value) {
			a.Allowed = append(a.Allowed, value.Value)
		}
	}
	if mixed {
		return Attribute{}
	}
	custom := e.get("allow_custom_values")
	if a.Type != "string" || slices.Contains(a.Allowed, otherMember) || custom != nil && custom.Value == "true" {
		a.Allowed = nil
	}
	return a
}

func gotValue(node *yaml.Node) string {
	if node == nil {
		return ""
	}
	return fmt.Sprintf(" (got %s)", describe(node))
}
