// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// packPage is the reference of the keys of packs.
const packPage = "docs/pack-reference.md"

const packHead = `# Keys of packs

` + "`make generate`" + ` writes this page from [schema.json](../conventions/schema.json). Nobody edits it. [The guide](../conventions/README.md) explains how to write a pack, and [layouts](../conventions/logformat/README.md) are those of log lines.

A *glob* matches a whole name, with ` + "`*`" + ` for any characters. A *pattern* is a regular expression in RE2 syntax, and may match anywhere in a name. A named group ` + "`(?P<rid>…)`" + ` of a pattern gives the *placeholder* ` + "`{rid}`" + `.
`

// schema is a part of a JSON schema. YAML nodes keep the order of properties.
type schema struct {
	Description string
	Ref         string `yaml:"$ref"`
	Required    []string
	Enum        []any
	Properties  yaml.Node
	Items       *schema
	Defs        map[string]*schema `yaml:"$defs"`
}

// property is a key of an object.
type property struct {
	name string
	*schema
}

// properties returns the keys of an object, in their order in the file.
func (s *schema) properties() (all []property, err error) {
	for i := 0; i+1 < len(s.Properties.Content); i += 2 {
		p := property{name: s.Properties.Content[i].Value}
		if err := s.Properties.Content[i+1].Decode(&p.schema); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// packReference returns the page of the keys of packs.
func packReference(repository string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(repository, "conventions", "schema.json"))
	if err != nil {
		return nil, err
	}
	var root schema
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	t := keyTables{defs: root.Defs}
	t.WriteString(packHead)
	sections, err := root.properties()
	if err != nil {
		return nil, err
	}
	for _, section := range sections {
		t.heading(section.name)
		t.row(section.name, section.schema, slices.Contains(root.Required, section.name))
		if err := t.rows(section.name, section.schema); err != nil {
			return nil, err
		}
		// Objects that this section was the first to refer to.
		for len(t.referred) > 0 {
			name := t.referred[0]
			t.referred = t.referred[1:]
			t.heading(name)
			if err := t.rows(name, t.defs[name]); err != nil {
				return nil, err
			}
		}
	}
	return t.Bytes(), nil
}

// keyTables writes a table for each section of a pack and for each object that several keys have.
type keyTables struct {
	bytes.Buffer
	defs     map[string]*schema
	referred []string // objects that have no table yet
	listed   []string // objects that have a table, or will have one
}

func (t *keyTables) heading(name string) {
	fmt.Fprintf(t, "\n## %s\n\n| key | meaning |\n| --- | --- |\n", name)
}

// rows writes the keys below a path.
func (t *keyTables) rows(path string, s *schema) error {
	if s.Items != nil {
		return t.rows(path+"[]", s.Items)
	}
	if name, is := strings.CutPrefix(s.Ref, "#/$defs/"); is {
		named := t.defs[name]
		if named.Items == nil && named.Properties.Content == nil {
			return nil
		}
		if named.Items != nil {
			return t.rows(path, named)
		}
		if !slices.Contains(t.listed, name) {
			t.listed = append(t.listed, name)
			t.referred = append(t.referred, name)
		}
		return nil
	}
	properties, err := s.properties()
	if err != nil {
		return err
	}
	for _, p := range properties {
		key := path + "." + p.name
		t.row(key, p.schema, slices.Contains(s.Required, p.name))
		if err := t.rows(key, p.schema); err != nil {
			return err
		}
	}
	return nil
}

// row writes one key, what it means, and its values if they are few.
func (t *keyTables) row(key string, s *schema, required bool) {
	meaning := s.Description
	if named := t.defs[strings.TrimPrefix(s.Ref, "#/$defs/")]; named != nil && meaning == "" {
		meaning = named.Description
	}
	if s.Enum != nil {
		meaning += " One of"
		for i, value := range s.Enum {
			meaning += fmt.Sprintf("%s `%v`", strings.Repeat(",", min(i, 1)), value)
		}
		meaning += "."
	}
	if required {
		meaning += " Required."
	}
	fmt.Fprintf(t, "| `%s` | %s |\n", key, strings.NewReplacer("|", `\|`, "*", `\*`).Replace(strings.TrimSpace(meaning)))
}
