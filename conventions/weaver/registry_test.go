// SPDX-License-Identifier: Apache-2.0

package weaver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions/internal/document"
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
		r, err := Read(document.Disk, writeRegistry(t, files))
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
	r, err := Read(document.Disk, dir)
	require.NoError(t, err)
	assert.Equal(t, map[string]Attribute{"tc.a": {Type: "int"}}, r.Attributes)
}

// Anchors and merge keys of YAML.
func TestReadAnchors(t *testing.T) {
	r, err := Read(document.Disk, writeRegistry(t, map[string]string{"a.yaml": `groups:
  - id: g
    attributes:
      - &a
        id: tc.a
        type: &state {members: [{id: up, value: &up up}, {id: again, value: *up}, {id: down, value: down}]}
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
}

// The new name may be declared in another registry.
func TestReadWithDependencies(t *testing.T) {
	r, err := Read(document.Disk, writeRegistry(t, map[string]string{
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
		_, err := Read(document.Disk, dir)
		require.Error(t, err)
		assert.Equal(t, strings.Join(want, "\n"), strings.ReplaceAll(err.Error(), dir+"/", ""))
	}
	// Files.
	f("", `a.yaml: a registry's file must not be empty`)
	f("a: [", `a.yaml: yaml: line 1: did not find expected node content`)
	f("groups: []\n---\ngroups: []\n", `a.yaml:2: a registry's file must be one YAML document`)
	f("file_format: definition/2\nattributes: []\n", `a.yaml: groups: missing: not a file of a registry in format v1`)

	// Wrong types, reported together.
	const group = "groups:\n  - id: g\n"
	f("groups: 7\n", "a.yaml: line 1: cannot unmarshal !!int `7` into []weaver.group")
	f(group+"    id: h\n", `a.yaml: line 3: mapping key "id" already defined at line 2`)
	const attributes = group + "    attributes:\n"
	f(attributes+"      - {id: 5}\n      - {id: tc.c, type: 7}\n      - {id: tc.d, type: int, deprecated: {reason: renamed, renamed_to: [a]}}\n",
		`a.yaml: line 4: must be a text (got "5"); line 5: type: must be string, int, double, boolean, any, one of them with [], template[…] of one, `+
			`or a mapping of members (got "7"); line 6: must be a text (got a list)`)
	for _, name := range []string{"integer", "string[", "template[int", "int]", "int[][]"} {
		f(attributes+"      - id: tc.a\n        type: "+name+"\n",
			`a.yaml: line 5: type: must be string, int, double, boolean, any, one of them with [], template[…] of one, or a mapping of members (got "`+name+`")`)
	}
	const enum = attributes + "      - id: tc.a\n        type:\n"
	f(enum+"          members: [{id: a}]\n", `a.yaml: line 6: type: each member needs a value that is a string, int, double or boolean (got "")`)
	f(enum+"          members: [{id: b, value: [b]}]\n", `a.yaml: line 6: type: each member needs a value that is a string, int, double or boolean (got a list)`)

	// Duplicates.
	f(attributes+"      - {id: tc.a, type: int}\n  - id: h\n    prefix: tc\n    attributes:\n      - {id: a, type: int}\n",
		`a.yaml:8: attribute "tc.a" is declared a second time, first at a.yaml:4`)
	f(group+"    type: metric\n    metric_name: tc.a\n  - id: h\n    type: metric\n    metric_name: tc.a\n",
		`a.yaml:7: metric "tc.a" is declared a second time, first at a.yaml:4`)

	// Renames. A metric and an attribute may have the same name. c leads to the cycle of a and b.
	f(attributes+"      - {id: a, type: int, deprecated: {reason: renamed, renamed_to: tc.b}}\n  - {id: h, type: metric, metric_name: tc.b}\n",
		`a.yaml:4: renamed_to: no attribute is called "tc.b"`)
	f(attributes+"      - {id: a, type: int, deprecated: {reason: renamed, renamed_to: a}}\n",
		`a.yaml:4: renamed_to: attribute "a" is renamed in a cycle (got "a")`)
	metric := func(name, renamedTo string) string {
		return "  - {id: " + name + ", type: metric, metric_name: " + name + ", deprecated: {reason: renamed, renamed_to: " + renamedTo + "}}\n"
	}
	f("groups:\n"+metric("c", "b")+metric("b", "a")+metric("a", "b")+metric("d", "e"),
		`a.yaml:2: renamed_to: metric "c" is renamed in a cycle (got "b")`,
		`a.yaml:3: renamed_to: metric "b" is renamed in a cycle (got "a")`,
		`a.yaml:4: renamed_to: metric "a" is renamed in a cycle (got "b")`,
		`a.yaml:5: renamed_to: no metric is called "e"`)
}

// The errors of several files are reported together, also those of invalid folders.
func TestReadErrorsOfFolders(t *testing.T) {
	f := func(files map[string]string, want string) {
		t.Helper()
		dir := writeRegistry(t, files)
		_, err := Read(document.Disk, dir)
		require.Error(t, err)
		assert.Equal(t, want, strings.ReplaceAll(err.Error(), dir, "store"))
	}
	f(map[string]string{"b/b.yaml": "groups: 1\n", "a.yaml": "groups: 2\n", "c.yaml": ""}, "store/a.yaml: line 1: cannot unmarshal !!int `2` into []weaver.group\n"+
		"store/b/b.yaml: line 1: cannot unmarshal !!int `1` into []weaver.group\nstore/c.yaml: a registry's file must not be empty")
	f(map[string]string{"b/b.yaml": oneAttribute, "c.yaml": oneAttribute},
		`store/c.yaml:1: attribute "tc.a" is declared a second time, first at store/b/b.yaml:1`)
	f(map[string]string{"manifest.yaml": "name: shop\n"}, `registry store: no *.yaml file that declares groups`)
	f(map[string]string{"manifest.yaml": "version: 1\nname: 3d\n", "a.yaml": oneAttribute},
		`registry store: name: the one in manifest.yaml, else the folder's, must begin with a letter (got "3d")`)
	f(map[string]string{"manifest.yaml": "", "a.yaml": oneAttribute}, `store/manifest.yaml: a registry's file must not be empty`)
	// Only the manifest in the folder itself is a manifest.
	f(map[string]string{"b/manifest.yaml": "name: b\n"}, `store/b/manifest.yaml: groups: missing: not a file of a registry in format v1`)

	_, err := Read(document.Disk, "/nosuch")
	assert.EqualError(t, err, "registry /nosuch: open /nosuch: no such file or directory")
	dir := filepath.Join(t.TempDir(), "3d")
	require.NoError(t, os.Mkdir(dir, 0o700))
	_, err = Read(document.Disk, dir)
	assert.EqualError(t, err, "registry "+dir+": name: the one in manifest.yaml, else the folder's, must begin with a letter (got \"3d\")")
}
