// SPDX-License-Identifier: Apache-2.0

package weaver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writeRegistry writes files into a folder named store.
func writeRegistry(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	for name, text := range files {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return dir
}

const oneAttribute = "groups: [{id: g, attributes: [{id: tc.a, type: int}]}]\n"

func TestReadName(t *testing.T) {
	f := func(want string, files map[string]string) {
		t.Helper()
		files["a.yaml"] = oneAttribute
		r, err := Read(writeRegistry(t, files))
		require.NoError(t, err)
		assert.Equal(t, want, r.Name)
	}
	f("store", map[string]string{})
	f("store", map[string]string{"manifest.yaml": "schema_url: https://shop.example/1.0.0\n"})
	f("our_shop", map[string]string{"registry_manifest.yaml": "name: our-shop\n"})
	f("new", map[string]string{"manifest.yaml": "name: new\n", "registry_manifest.yaml": "name: old\n"})
}

// A mounted ConfigMap has each file twice: in a hidden folder, and as a link to it.
func TestReadFromConfigMap(t *testing.T) {
	dir := writeRegistry(t, map[string]string{"..2026_11_21/a.yaml": oneAttribute, "notes.txt": "no YAML: ["})
	require.NoError(t, os.Symlink("..2026_11_21", filepath.Join(dir, "..data")))
	require.NoError(t, os.Symlink("..data/a.yaml", filepath.Join(dir, "a.yaml")))
	r, err := Read(dir)
	require.NoError(t, err)
	assert.Equal(t, map[string]Attribute{"tc.a": {Type: "int"}}, r.Attributes)
}

// Anchors and merge keys of YAML.
func TestReadAnchors(t *testing.T) {
	r, err := Read(writeRegistry(t, map[string]string{"a.yaml": `groups:
  - id: g
    attributes:
      - &a
        id: tc.a
        type: &state {members: [{id: up, value: up}, {id: down, value: down}]}
      - <<: *a
        id: tc.b
      - {id: tc.c, type: *state}
  - {id: h, attributes: [{id: tc.d, type: int}]}
`}))
	require.NoError(t, err)
	allowed := []string{"up", "down"}
	assert.Equal(t, map[string]Attribute{
		"tc.a": {Type: "string", Allowed: allowed},
		"tc.b": {Type: "string", Allowed: allowed},
		"tc.c": {Type: "string", Allowed: allowed},
		"tc.d": {Type: "int"},
	}, r.Attributes)

	_, err = Read(writeRegistry(t, map[string]string{"a.yaml": "groups: [&g {id: g}, *g]\n"}))
	assert.ErrorContains(t, err, `group "g" is declared a second time`)
}

// The new name may be declared in another registry.
func TestReadWithDependencies(t *testing.T) {
	r, err := Read(writeRegistry(t, map[string]string{
		"manifest.yaml": "name: shop\ndependencies: [{name: otel, registry_path: ../otel}]\n",
		"a.yaml": `groups:
  - id: g
    attributes:
      - {id: link, type: string, deprecated: {reason: renamed, renamed_to: url.full}}
`,
	}))
	require.NoError(t, err)
	assert.Equal(t, map[string]Attribute{"link": {Type: "string", RenamedTo: "url.full"}}, r.Attributes)
}

func TestReadErrors(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		dir := writeRegistry(t, map[string]string{"a.yaml": text})
		_, err := Read(dir)
		require.Error(t, err)
		assert.Equal(t, strings.Join(want, "\n"), strings.ReplaceAll(err.Error(), dir+"/", ""))
	}
	// Files.
	f("", `a.yaml: a registry's file must not be empty`)
	f("a: [", `a.yaml: yaml: line 1: did not find expected node content`)
	f("groups: []\n---\ngroups: []\n", `a.yaml:2: a registry's file must be one YAML document`)
	f("- a\n", `a.yaml:1: registry file: must be a mapping (got a list)`)
	f("file_format: definition/2\nattributes: []\n", `a.yaml:1: groups: missing: not a file of a registry in format v1`)
	f("groups: 7\n", `a.yaml:1: groups: must be a list (got "7")`)

	// Wrong types, reported together.
	const group = "groups:\n  - id: g\n"
	f("groups:\n  - g\n  - {}\n  - id: 5\n  - id: [g]\n",
		`a.yaml:2: group: must be a mapping (got "g")`,
		`a.yaml:3: group: id is missing`,
		`a.yaml:4: id: must be a text (got "5")`,
		`a.yaml:5: id: must be a text (got a list)`)
	f(group+"    type: metrics\n",
		`a.yaml:3: type: must be one of attribute_group, entity, event, metric, metric_group, resource, scope, span, undefined (got "metrics")`)
	f(group+"    type: metric\n", `a.yaml:2: group: metric_name is missing`)
	f(group+"    type: metric\n    metric_name: tc.a\n    instrument: meter\n    unit: 1\n",
		`a.yaml:5: instrument: must be one of counter, gauge, histogram, updowncounter (got "meter")`,
		`a.yaml:6: unit: must be a text (got "1")`)
	f(group+"    attributes: tc.a\n", `a.yaml:3: attributes: must be a list (got "tc.a")`)
	f(group+"    id: h\n", `a.yaml:2: group: yaml: unmarshal errors:
  line 3: mapping key "id" already defined at line 2`)

	const attributes = group + "    attributes:\n"
	f(attributes+"      - tc.a\n      - {type: int}\n      - {id: tc.b}\n      - {id: tc.c, type: 7}\n",
		`a.yaml:4: attribute: must be a mapping (got "tc.a")`,
		`a.yaml:5: attribute: id is missing`,
		`a.yaml:6: attribute: type is missing`,
		`a.yaml:7: type: must be a text (got "7")`)
	for _, name := range []string{"integer", "string[", "template[int", "int]", "int[][]"} {
		f(attributes+"      - id: tc.a\n        type: "+name+"\n",
			`a.yaml:5: type: must be string, int, double, boolean, any, one of them with [], template[…] of one, or a mapping of members (got "`+name+`")`)
	}
	const enum = attributes + "      - id: tc.a\n        type:\n"
	f(enum+"          values: [a]\n", `a.yaml:6: type: members is missing`)
	f(enum+"          members: a\n", `a.yaml:6: members: must be a list (got "a")`)
	f(enum+"          members:\n            - a\n            - {id: a}\n            - {id: b, value: [b]}\n            - {value: c}\n",
		`a.yaml:7: member: must be a mapping (got "a")`,
		`a.yaml:8: member: value must be a string, int, double or boolean`,
		`a.yaml:9: member: value must be a string, int, double or boolean (got a list)`,
		`a.yaml:10: member: id is missing`)
	f(attributes+"      - id: {a: b}\n        type: int\n", `a.yaml:4: id: must be a text (got a mapping)`)
	f(attributes+"      - id: tc.a\n        type: int\n        deprecated: [renamed]\n",
		`a.yaml:6: deprecated: must be a mapping (got a list)`)
	f(attributes+"      - id: tc.a\n        type: int\n        deprecated: {reason: renamed}\n",
		`a.yaml:6: deprecated: renamed_to is missing`)

	// Duplicates.
	f(group+"  - id: g\n", `a.yaml:3: group "g" is declared a second time, first at a.yaml:2`)
	f(attributes+"      - {id: tc.a, type: int}\n  - id: h\n    prefix: tc\n    attributes:\n      - {id: a, type: int}\n",
		`a.yaml:8: attribute "tc.a" is declared a second time, first at a.yaml:4`)
	f(group+"    type: metric\n    metric_name: tc.a\n  - id: h\n    type: metric\n    metric_name: tc.a\n",
		`a.yaml:7: metric "tc.a" is declared a second time, first at a.yaml:4`)
	f(enum+"          members:\n            - {id: a, value: a}\n            - {id: a, value: b}\n",
		`a.yaml:8: member "a" is declared a second time, first at a.yaml:7`)

	// Renames. A metric and an attribute may have the same name. c leads to the cycle of a and b but is
	// not part of it.
	f(attributes+"      - {id: a, type: int, deprecated: {reason: renamed, renamed_to: tc.b}}\n  - {id: h, type: metric, metric_name: tc.b}\n",
		`a.yaml:4: renamed_to: no attribute is called "tc.b"`)
	f(attributes+"      - {id: a, type: int, deprecated: {reason: renamed, renamed_to: a}}\n",
		`a.yaml:4: renamed_to: attribute "a" is renamed in a cycle: a → a`)
	metric := func(name, renamedTo string) string {
		return "  - {id: " + name + ", type: metric, metric_name: " + name + ", deprecated: {reason: renamed, renamed_to: " + renamedTo + "}}\n"
	}
	f("groups:\n"+metric("c", "b")+metric("b", "a")+metric("a", "b")+metric("d", "e"),
		`a.yaml:4: renamed_to: metric "a" is renamed in a cycle: a → b → a`,
		`a.yaml:5: renamed_to: no metric is called "e"`)
}

// The errors of several files are reported together, also those of invalid folders.
func TestReadErrorsOfFolders(t *testing.T) {
	f := func(files map[string]string, want string) {
		t.Helper()
		dir := writeRegistry(t, files)
		_, err := Read(dir)
		require.Error(t, err)
		assert.Equal(t, want, strings.ReplaceAll(err.Error(), dir, "store"))
	}
	f(map[string]string{"b/b.yaml": "groups: 1\n", "a.yaml": "groups: 2\n", "c.yaml": ""}, `store/a.yaml:1: groups: must be a list (got "2")
store/b/b.yaml:1: groups: must be a list (got "1")
store/c.yaml: a registry's file must not be empty`)
	f(map[string]string{"b/b.yaml": oneAttribute, "c.yaml": "groups:\n  - id: g\n"},
		`store/c.yaml:2: group "g" is declared a second time, first at store/b/b.yaml:1`)
	f(map[string]string{"manifest.yaml": "name: shop\n"}, `registry store: no *.yaml file that declares groups`)
	f(map[string]string{"manifest.yaml": "name: 3\n", "a.yaml": oneAttribute}, `store/manifest.yaml:1: name: must be a text (got "3")`)
	f(map[string]string{"manifest.yaml": "version: 1\nname: 3d\n", "a.yaml": oneAttribute}, `store/manifest.yaml:2: name: must begin with a letter (got "3d")`)
	f(map[string]string{"manifest.yaml": "", "a.yaml": oneAttribute}, `store/manifest.yaml: a registry's file must not be empty`)
	// Only the manifest in the folder itself is a manifest.
	f(map[string]string{"b/manifest.yaml": "name: b\n"}, `store/b/manifest.yaml:1: groups: missing: not a file of a registry in format v1`)

	_, err := Read("/nosuch")
	assert.EqualError(t, err, "registry /nosuch: stat .: no such file or directory")
	dir := filepath.Join(t.TempDir(), "3d")
	require.NoError(t, os.Mkdir(dir, 0o700))
	_, err = Read(dir)
	assert.EqualError(t, err, "registry "+dir+": the folder's name must begin with a letter, or manifest.yaml give another as name")
}
