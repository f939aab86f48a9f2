// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzParse checks that any text either parses as a pack, with the same result each time, or gives an
// error that names its file.
func FuzzParse(f *testing.F) {
	for _, name := range Builtin() {
		text, err := builtin.ReadFile(name + ".yaml")
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte(`{system: a, owns: {all: true}, metrics: {rename: {b: tc_c},
  also: [{match: d, name: e.f, where: {k: l}, attributes: {g: h}, set: {i: j}, unit: ms, convert: s}]}}`))
	f.Add([]byte(`{system: a, owns: {all: true}, messages: [{from: g, to: h, form: openinference}], attributes: [
  {key: b, also: [{key: c, type: "string[]", values: {"*": "{}"}}, {key: d, with: e}], also_fields: {e: {key: f}}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		pack, err := Parse("mine.yaml", text)
		if err != nil {
			assert.Nil(t, pack)
			assert.ErrorContains(t, err, "mine.yaml")
			return
		}
		assert.NotEmpty(t, pack.System)
		again, err := Parse("mine.yaml", text)
		require.NoError(t, err)
		assert.Equal(t, pack.System, again.System)
		assert.Equal(t, pack.Metrics.Rename, again.Metrics.Rename)
		for i, rule := range pack.Metrics.Also {
			assert.False(t, rule.Match.MatchString(rule.Name), "a copy of a copy")
			assert.Equal(t, rule.Attributes, again.Metrics.Also[i].Attributes)
		}
		assert.Len(t, again.Links, len(pack.Links))
		assert.Len(t, again.Attributes, len(pack.Attributes))
		for i, rule := range pack.Attributes {
			assert.Equal(t, rule.AlsoFields, again.Attributes[i].AlsoFields, "the first field decides")
			for _, one := range rule.Also {
				assert.NotEqual(t, rule.Key, one.Key, "a copy of itself")
			}
		}
	})
}

// FuzzRegistry checks that any registry either gives a valid pack, or an error that names the folder.
func FuzzRegistry(f *testing.F) {
	text, err := os.ReadFile("testdata/registry/shop.pack.yaml")
	require.NoError(f, err)
	f.Add([]byte("groups: [{id: g, attributes: [{id: tc.a, type: int}]}]\n"), []byte("name: our-shop\n"))
	f.Add(text, []byte("schema_url: https://shop.example/1.0.0\n"))
	f.Fuzz(func(t *testing.T, groups, manifest []byte) {
		dir := filepath.Join(t.TempDir(), "store")
		require.NoError(t, os.Mkdir(dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), groups, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "manifest.yaml"), manifest, 0o600))
		pack, err := loadRegistry(Disk, dir)
		if err != nil {
			assert.ErrorContains(t, err, dir)
			return
		}
		assert.NotEmpty(t, pack.System)
	})
}
