// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"encoding"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// node is the part of JSON Schema that schema.json uses.
type node struct {
	Description          string           `json:"description"`
	Ref                  string           `json:"$ref"`
	Properties           map[string]*node `json:"properties"`
	Items                *node            `json:"items"`
	AdditionalProperties json.RawMessage  `json:"additionalProperties"`
	Defs                 map[string]*node `json:"$defs"`
}

func readSchema(t *testing.T) *node {
	t.Helper()
	var root node
	require.NoError(t, json.Unmarshal([]byte(schemaJSON), &root))
	return &root
}

// resolve returns the definition that a reference names.
func (n *node) resolve(t *testing.T, root *node) *node {
	t.Helper()
	if n.Ref == "" {
		return n
	}
	def := root.Defs[strings.TrimPrefix(n.Ref, "#/$defs/")]
	require.NotNil(t, def, n.Ref)
	return def
}

// The schema and the structs that the loader decodes into must have the same keys at every level.
// Otherwise keys would be refused or silently ignored.
func TestSchemaAgreesWithPack(t *testing.T) {
	root := readSchema(t)
	reads := func(typ reflect.Type) bool {
		return typ.Implements(reflect.TypeFor[yaml.Unmarshaler]()) || typ.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
	}
	var compare func(at string, n *node, typ reflect.Type)
	compare = func(path string, n *node, typ reflect.Type) {
		require.NotNil(t, n, "%s: nothing in the schema", path)
		n = n.resolve(t, root)
		switch {
		case typ.Kind() == reflect.Pointer:
			compare(path, n, typ.Elem())
		case reads(reflect.PointerTo(typ)):
			assert.Empty(t, n.Properties, "%s: a text for the loader", path)
		case typ.Kind() == reflect.Slice:
			compare(path+"[]", n.Items, typ.Elem())
		case typ.Kind() == reflect.Map:
			var values node
			require.NoError(t, json.Unmarshal(n.AdditionalProperties, &values), path)
			compare(path+"{}", &values, typ.Elem())
		case typ.Kind() == reflect.Struct:
			tags := map[string]reflect.Type{}
			addTags(tags, typ)
			if typ == reflect.TypeFor[Pack]() { // only Read decodes them
				tags["examples"] = reflect.TypeFor[Examples]()
			}
			assert.ElementsMatch(t, slices.Collect(maps.Keys(tags)), slices.Collect(maps.Keys(n.Properties)), path)
			assert.JSONEq(t, "false", string(n.AdditionalProperties), "%s: a misspelt key must be refused", path)
			for key, field := range tags {
				compare(path+"."+key, n.Properties[key], field)
			}
		default:
			assert.Empty(t, n.Properties, "%s: a scalar for the loader", path)
			assert.Nil(t, n.Items, "%s: a scalar for the loader", path)
		}
	}
	compare("pack", root, reflect.TypeFor[Pack]())
}

// addTags adds the keys that a struct is decoded from, with those of its inlined structs.
func addTags(tags map[string]reflect.Type, typ reflect.Type) {
	for i := range typ.NumField() {
		field := typ.Field(i)
		if tag := field.Tag.Get("yaml"); tag == ",inline" {
			addTags(tags, field.Type)
		} else {
			tags[tag] = field.Type
		}
	}
}

// keys calls visit with the path of every key of the format:
// metrics.rules[].match. An object that several keys have is listed once under its own name: stage.kind.
func (n *node) keys(t *testing.T, root *node, path string, visit func(path string, key *node)) {
	t.Helper()
	if n.Ref != "" {
		name := strings.TrimPrefix(n.Ref, "#/$defs/")
		n = n.resolve(t, root)
		if n.Properties != nil {
			path = name
		}
	}
	if n.Items != nil {
		n.Items.keys(t, root, path+"[]", visit)
	}
	for key, property := range n.Properties {
		path := strings.TrimPrefix(path+"."+key, ".")
		visit(path, property)
		property.keys(t, root, path, visit)
	}
}

// Editors show the descriptions.
func TestSchemaDescribesEveryKey(t *testing.T) {
	root := readSchema(t)
	root.keys(t, root, "", func(path string, key *node) {
		assert.NotEmpty(t, key.Description+key.resolve(t, root).Description, path)
	})
}

// The examples of the guide and of the layouts are valid packs. Examples that are not packs begin with other keys.
func TestReadme(t *testing.T) {
	for _, path := range []string{"README.md", "logformat/README.md"} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, match := range regexp.MustCompile("(?ms)^( *)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			example := strings.ReplaceAll("\n"+match[2], "\n"+match[1], "\n")
			var keys map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(example), &keys), example)
			if keys["extensions"] != nil { // no pack
				continue
			}
			if keys["system"] == nil {
				example += "system: example\n"
			}
			if keys["owns"] == nil {
				example += "owns: {all: true}\n"
			}
			_, err := Parse(path, []byte(example))
			assert.NoError(t, err, example)
		}
	}
}

// The built-in packs are valid, and name the schema for editors.
func TestBuiltinPacksFollowSchema(t *testing.T) {
	for _, system := range Builtin() {
		text, err := builtin.ReadFile(system + ".yaml")
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(text), "# yaml-language-server: $schema=schema.json\n"), system)
		var doc yaml.Node
		require.NoError(t, yaml.Unmarshal(text, &doc))
		assert.NoError(t, checkSchema(&doc, packSchema(), "pack"), system)
	}
}
