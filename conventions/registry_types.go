package conventions

import (
	"fmt"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

// registryAttribute is what a registry says of an attribute besides its key.
type registryAttribute struct {
	valueType ValueType
	allowed   []string
	// template says that the key only begins the keys that are sent.
	template bool
}

// simpleType is an attribute's type but for an enumeration.
var simpleType = regexp.MustCompile(`^(?:(template)\[)?(string|int|double|boolean|any)(\[\])?(\])?$`)

func (r *registry) readType(a fields) registryAttribute {
	node := a.get("type")
	if node != nil && node.Kind == yaml.MappingNode {
		return r.readEnum(r.fields(a.place.file, node, "type"))
	}
	text := a.required("type")
	if text.text == "" {
		return registryAttribute{}
	}
	m := simpleType.FindStringSubmatch(text.text)
	if m == nil || (m[1] != "") != (m[4] != "") {
		r.fail(text.place, "type: must be string, int, double, boolean, any, one of them with [], template[…] of one, or a mapping of members (got %q)", text.text)
		return registryAttribute{}
	}
	if m[1] != "" {
		return registryAttribute{template: true}
	}
	if m[3] != "" {
		return registryAttribute{}
	}
	return registryAttribute{valueType: valueTypes[m[2]]}
}

// valueTypes maps a registry's types to a pack's. Any is none.
var valueTypes = map[string]ValueType{
	"string": TypeString, "int": TypeInt, "double": TypeDouble, "boolean": TypeBool,
	// The same for a member's value, by its YAML tag. A date is a text: a version.
	"!!str": TypeString, "!!timestamp": TypeString, "!!int": TypeInt, "!!float": TypeDouble, "!!bool": TypeBool,
}

// otherMember is the member by which OpenTelemetry's own enumerations say that
// there are other values: those of error.type are anybody's.
const otherMember = "_OTHER"

func (r *registry) readEnum(e fields) registryAttribute {
	if e.get("members") == nil {
		r.fail(e.place, "type: members is missing")
	}
	var a registryAttribute
	ids := newRegistryNames("member")
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
		mixed = mixed || a.valueType != "" && a.valueType != valueType
		a.valueType = valueType
		if !slices.Contains(a.allowed, value.Value) {
			a.allowed = append(a.allowed, value.Value)
		}
	}
	if mixed {
		return registryAttribute{}
	}
	custom := e.get("allow_custom_values")
	if a.valueType != TypeString || slices.Contains(a.allowed, otherMember) || custom != nil && custom.Value == "true" {
		a.allowed = nil
	}
	return a
}

func gotValue(node *yaml.Node) string {
	if node == nil {
		return ""
	}
	return fmt.Sprintf(" (got %s)", describe(node))
}
