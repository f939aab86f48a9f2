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
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
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

// Each registry of testdata/errors.yaml is refused with all its errors, without the path of its folder.
func TestReadErrors(t *testing.T) {
	for _, test := range testfiles.Cases[struct {
		Files map[string]string
		Error string
	}](t, "testdata/errors.yaml") {
		dir := writeRegistry(t, test.Files)
		_, err := Read(document.Disk, dir)
		require.Error(t, err, test.Files)
		assert.Equal(t, test.Error, strings.ReplaceAll(strings.ReplaceAll(err.Error(), dir+"/", ""), dir, "store"), test.Files)
	}
	_, err := Read(document.Disk, "/nosuch")
	assert.EqualError(t, err, "registry /nosuch: open /nosuch: no such file or directory")
	dir := filepath.Join(t.TempDir(), "3d")
	require.NoError(t, os.Mkdir(dir, 0o700))
	_, err = Read(document.Disk, dir)
	assert.EqualError(t, err, "registry "+dir+": name: the one in manifest.yaml, else the folder's, must begin with a letter (got \"3d\")")
}
