package conventions

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"go.yaml.in/yaml/v3"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

//go:embed schema.json
var schemaJSON string

var (
	packSchema      = sync.OnceValue(func() *jsonschema.Schema { return compile("schema.json") })
	linkRulesSchema = sync.OnceValue(func() *jsonschema.Schema { return compile("schema.json#/$defs/linkRules") })
	english         = message.NewPrinter(language.English)
)

// compile prepares the part of schema.json that a reference names.
func compile(reference string) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schemaJSON))
	if err != nil {
		panic(err) // the embedded schema is proved by every test
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat() // of patterns
	if err := c.AddResource("schema.json", doc); err != nil {
		panic(err)
	}
	return c.MustCompile(reference)
}

// checkSchema reports every place where the pack departs from schema.json.
func checkSchema(doc *yaml.Node) error { return checkAgainst(doc, packSchema(), "pack") }

// checkAgainst reports every place where the document departs from a schema. Root is
// what errors call the document.
func checkAgainst(doc *yaml.Node, schema *jsonschema.Schema, root string) error {
	var value any
	if err := doc.Decode(&value); err != nil {
		return err
	}
	err := schema.Validate(value)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	var faults []*lineError
	for _, leaf := range leaves(invalid) {
		node, got := find(doc, leaf)
		key := strings.Join(append([]string{root}, leaf.InstanceLocation...), ".")
		faults = append(faults, &lineError{node.Line, fmt.Errorf("%s: %s%s",
			key, leaf.ErrorKind.LocalizedString(english), got)})
	}
	slices.SortStableFunc(faults, func(a, b *lineError) int { return a.line - b.line })
	return joinFaults(faults)
}

// leaves are the innermost causes: what a person has to change.
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

// find returns the YAML node a fault is about and, for a scalar, its value.
func find(doc *yaml.Node, fault *jsonschema.ValidationError) (*yaml.Node, string) {
	node := doc.Content[0]
	for _, step := range fault.InstanceLocation {
		node = child(node, step)
	}
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

func child(node *yaml.Node, step string) *yaml.Node {
	switch node.Kind {
	case yaml.AliasNode:
		return child(node.Alias, step)
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i < len(node.Content) {
			return node.Content[i]
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == step {
				return node.Content[i+1]
			}
		}
	}
	return node
}
