// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	_ "embed"
	"errors"
	"fmt"
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
	c.AssertFormat() // checks the format of patterns
	if err := c.AddResource("schema.json", doc); err != nil {
		panic(err)
	}
	return c.MustCompile(reference)
}

// checkSchema reports every key that violates a schema. name is the name of the document in errors.
func checkSchema(root *yaml.Node, schema *jsonschema.Schema, name string) error {
	var value any
	if err := root.Decode(&value); err != nil {
		return err
	}
	err := schema.Validate(value)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	var faults document.Faults
	for _, leaf := range leaves(invalid) {
		faults = append(faults, faultsOf(root, leaf, name)...)
	}
	return faults.Sorted()
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

// faultsOf returns the faults of a cause: one for each unknown key, else one.
func faultsOf(root *yaml.Node, cause *jsonschema.ValidationError, name string) (all document.Faults) {
	node := document.Find(root, cause.InstanceLocation...)
	where := strings.TrimPrefix(strings.Join(append([]string{name}, cause.InstanceLocation...), "."), ".")
	add := func(line int, what jsonschema.ErrorKind, got *yaml.Node) {
		text := what.LocalizedString(english) + valueOf(got)
		if where != "" {
			text = where + ": " + text
		}
		all = append(all, document.Fault{Line: line, Err: errors.New(text)})
	}
	unknown, ok := cause.ErrorKind.(*kind.AdditionalProperties)
	if !ok {
		add(node.Line, cause.ErrorKind, node)
		return all
	}
	for _, key := range unknown.Properties {
		written, value := entry(node, key)
		add(written.Line, &kind.AdditionalProperties{Properties: []string{key}}, value)
	}
	return all
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

func valueOf(node *yaml.Node) string {
	if node.Kind != yaml.ScalarNode {
		return ""
	}
	return fmt.Sprintf(" (got %q)", node.Value)
}
