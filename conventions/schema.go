// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"go.yaml.in/yaml/v3"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/otelcol-tc/otelcol-tc/conventions/internal/document"
)

//go:embed schema.json
var schemaJSON string

var (
	packSchema      = sync.OnceValue(func() *jsonschema.Schema { return compile("schema.json") })
	linkRulesSchema = sync.OnceValue(func() *jsonschema.Schema { return compile("schema.json#/$defs/linkRules") })
	english         = message.NewPrinter(language.English)
)

// compile compiles the part of schema.json at a reference.
func compile(reference string) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schemaJSON))
	if err != nil {
		panic(err) // every test compiles the embedded schema
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat() // checks the format of patterns and dates
	c.RegisterFormat(&jsonschema.Format{Name: "date", Validate: func(value any) error {
		if text, ok := value.(string); ok {
			return new(Date).UnmarshalText([]byte(text)) // whose error says what a date must be
		}
		return nil // the type is checked by itself
	}})
	if err := c.AddResource("schema.json", doc); err != nil {
		panic(err)
	}
	return c.MustCompile(reference)
}

// violation is a place in a document that violates a schema.
type violation struct {
	at      []string // the keys and indexes that lead to it
	unknown string   // the key below it that no schema has, or empty
	text    string
	node    *yaml.Node
}

// fault returns the violation with its key. name is the name of the document in errors.
func (v violation) fault(name string) document.Fault {
	key := slices.DeleteFunc(append([]string{name}, v.at...), func(step string) bool { return step == "" })
	if len(key) == 0 {
		return document.Fault{Line: v.node.Line, Err: errors.New(v.text)}
	}
	return document.Fault{Line: v.node.Line, Err: fmt.Errorf("%s: %s", strings.Join(key, "."), v.text)}
}

// checkSchema reports every key that violates a schema. name is the name of the document in errors.
func checkSchema(root *yaml.Node, schema *jsonschema.Schema, name string) error {
	violations, err := validate(root, schema)
	if err != nil {
		return err
	}
	var faults document.Faults
	for _, v := range violations {
		faults = append(faults, v.fault(name))
	}
	return faults.Sorted()
}

// validate returns all violations of a schema. An error is a fault of the YAML itself.
func validate(root *yaml.Node, schema *jsonschema.Schema) ([]violation, error) {
	var value any
	if err := root.Decode(&value); err != nil {
		return nil, err
	}
	err := schema.Validate(value)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil, err
	}
	var violations []violation
	for _, leaf := range leaves(invalid) {
		violations = append(violations, violationsOf(root, schema, leaf)...)
	}
	return violations, nil
}

// leaves returns the innermost causes, which are the faults to fix.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// violationsOf returns the violations of a cause: one for each unknown key, else one.
func violationsOf(root *yaml.Node, schema *jsonschema.Schema, cause *jsonschema.ValidationError) (all []violation) {
	node, at := document.Find(root, cause.InstanceLocation...), cause.InstanceLocation
	text := cause.ErrorKind.LocalizedString(english)
	switch k := cause.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		for _, key := range k.Properties {
			one := kind.AdditionalProperties{Properties: []string{key}}
			written, value := entry(node, key)
			all = append(all, violation{at: at, unknown: key, node: written,
				text: one.LocalizedString(english) + valueOf(value) + didYouMean(key, keysAt(schema, at))})
		}
		return all
	case *kind.Enum:
		return []violation{{at: at, node: node, text: text + valueOf(node) + didYouMean(node.Value, texts(k.Want))}}
	}
	return []violation{{at: at, node: node, text: text + valueOf(node)}}
}

// entry returns the nodes of a key and its value in a mapping, or the node itself if a merge has the key.
func entry(node *yaml.Node, key string) (written, value *yaml.Node) {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i], node.Content[i+1]
		}
	}
	return node, node
}

// keysAt returns the keys that a schema knows at a place, sorted.
func keysAt(schema *jsonschema.Schema, steps []string) []string {
	for _, step := range steps {
		if schema = below(schema, step); schema == nil {
			return nil
		}
	}
	known := map[string]*jsonschema.Schema{}
	for _, form := range forms(schema) {
		maps.Copy(known, form.Properties)
	}
	return slices.Sorted(maps.Keys(known))
}

// below returns the schema of a key or of an item, or nil.
func below(schema *jsonschema.Schema, step string) *jsonschema.Schema {
	for _, form := range forms(schema) {
		if property := form.Properties[step]; property != nil {
			return property
		}
		if values, ok := form.AdditionalProperties.(*jsonschema.Schema); ok {
			return values
		}
		if form.Items2020 != nil {
			return form.Items2020
		}
	}
	return nil
}

// forms returns the schema to which references lead, and those of the two forms that a value can have.
func forms(schema *jsonschema.Schema) []*jsonschema.Schema {
	all := []*jsonschema.Schema{target(schema)}
	for _, form := range []*jsonschema.Schema{all[0].Then, all[0].Else} {
		if form != nil {
			all = append(all, target(form))
		}
	}
	return all
}

// target returns the schema to which references lead.
func target(schema *jsonschema.Schema) *jsonschema.Schema {
	for schema.Ref != nil {
		schema = schema.Ref
	}
	return schema
}

func texts(values []any) (all []string) {
	for _, value := range values {
		if text, ok := value.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

func valueOf(node *yaml.Node) string {
	if node.Kind != yaml.ScalarNode {
		return ""
	}
	return fmt.Sprintf(" (got %q)", node.Value)
}
