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
		node, got := find(root, leaf)
		key := strings.Join(append([]string{name}, leaf.InstanceLocation...), ".")
		faults = append(faults, document.Fault{Line: node.Line, Err: fmt.Errorf("%s: %s%s",
			key, leaf.ErrorKind.LocalizedString(english), got)})
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

// find returns the YAML node of a fault and, for a scalar, its value.
func find(root *yaml.Node, fault *jsonschema.ValidationError) (*yaml.Node, string) {
	node := document.Find(root, fault.InstanceLocation...)
	if extra, ok := fault.ErrorKind.(*kind.AdditionalProperties); ok {
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == extra.Properties[0] {
				return node.Content[i], valueOf(node.Content[i+1])
			}
		}
	}
	return node, valueOf(node)
}

func valueOf(node *yaml.Node) string {
	if node.Kind != yaml.ScalarNode {
		return ""
	}
	return fmt.Sprintf(" (got %q)", node.Value)
}
