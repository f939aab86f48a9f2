// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

func TestLoadBuiltin(t *testing.T) {
	assert.Subset(t, Builtin(), []string{"fastdeploy", "messaging", "pytango", "tensorcast", "tuft", "vllm"})
	assert.IsIncreasing(t, Builtin())
	packs, err := Load(nil)
	require.NoError(t, err)
	for i, name := range Builtin() {
		assert.Equal(t, name, packs[i].System, "a pack has the name of its file")
	}
}

// A collector has a dozen components that load packs.
func TestBuiltinPacksAreParsedOnce(t *testing.T) {
	first, err := Load([]any{"tuft"})
	require.NoError(t, err)
	again, err := Load(nil)
	require.NoError(t, err)
	assert.Same(t, first[0], again[slices.Index(Builtin(), "tuft")])
}

// The validation against the schema does not change a pack.
func TestBuiltinPacksAreAsParsed(t *testing.T) {
	for _, name := range Builtin() {
		text, err := builtin.ReadFile(name + ".yaml")
		require.NoError(t, err)
		parsed, err := Parse(name+".yaml", text)
		require.NoError(t, err)
		assert.Equal(t, parsed, readBuiltin(name))
	}
}

func TestLoadSelects(t *testing.T) {
	own := testfiles.Save(t, "own.yaml", "system: own\nowns: {scopes: ['own.*']}\n")

	packs, err := Load([]any{own, "tuft"})
	require.NoError(t, err)
	require.Len(t, packs, 2)
	assert.Equal(t, "own", packs[0].System)
	assert.True(t, packs[0].Owns.Scopes[0].Match("own.part"))
	assert.Equal(t, "tuft", packs[1].System)
}

// TestLoadBuiltins checks that the entry builtin stands for the packs that no other entry replaces.
func TestLoadBuiltins(t *testing.T) {
	own := testfiles.Save(t, "own.yaml", "system: tuft\nowns: {scopes: ['own.*']}\n")
	f := func(setting []any, want ...string) {
		t.Helper()
		packs, err := Load(setting)
		require.NoError(t, err)
		var got []string
		for _, pack := range packs {
			name := pack.System
			if len(pack.Owns.Scopes) > 0 && pack.Owns.Scopes[0].Match("own.part") {
				name = "own " + name
			}
			got = append(got, name)
		}
		assert.Equal(t, want, got)
	}
	without := func(systems ...string) []string {
		return slices.DeleteFunc(Builtin(), func(name string) bool { return slices.Contains(systems, name) })
	}
	f([]any{"builtin"}, Builtin()...)
	f([]any{own, "builtin"}, slices.Concat([]string{"own tuft"}, without("tuft"))...)
	f([]any{"builtin", own}, append(without("tuft"), "own tuft")...)
	f([]any{"tensorcast", "builtin", own}, append(slices.Concat([]string{"tensorcast"}, without("tensorcast", "tuft")), "own tuft")...)
}

func TestLoadErrors(t *testing.T) {
	_, err := Load([]any{"tuft", "nosuch"})
	assert.EqualError(t, err, `packs[1]: no built-in pack "nosuch": known are `+strings.Join(Builtin(), ", ")+`; builtin stands for all; a path contains a slash or ends in .yaml`)
	_, err = Load([]any{"tuft", "tuft"})
	assert.EqualError(t, err, `packs[1]: system "tuft" is described by an earlier pack`)
	_, err = Load([]any{"builtin", "nosuch", "builtin"})
	assert.ErrorContains(t, err, `packs[1]: no built-in pack "nosuch"`)
	assert.ErrorContains(t, err, `packs[2]: must be listed once (got "builtin" again)`)
	_, err = Load([]any{"/nosuch/pack.yaml"})
	assert.EqualError(t, err, "packs[0]: open /nosuch/pack.yaml: no such file or directory")
}

func TestLoadRegistryAsSource(t *testing.T) {
	packs, err := Load([]any{map[string]any{"registry": "testdata/registry/shop"}, "tuft"})
	require.NoError(t, err)
	require.Len(t, packs, 2)
	assert.True(t, packs[0].Owns.All)
	_, err = Load([]any{map[string]any{"registry": "/nosuch"}})
	assert.ErrorContains(t, err, "packs[0]: ")
	assert.ErrorContains(t, err, "/nosuch")
}

// Errors name the file and the line besides what TestProblems checks.
func TestParseErrors(t *testing.T) {
	const head = "system: x\nowns: {scopes: [x]}\n"
	for text, want := range map[string]string{
		"":                    "x.yaml: a pack must not be empty",
		"a: [":                "x.yaml: yaml: line 1: did not find expected node content",
		head + "mterics: 7\n": `x.yaml:3: pack: additional properties 'mterics' not allowed (got "7")`,
		head + "attributes: 1\nspans: 2\n": `x.yaml:3: pack.attributes: got number, want array (got "1")
x.yaml:4: pack.spans: got number, want object (got "2")`,
		head + "attributes:\n  - {key: a, type: int}\n  - {key: a, rename: x.b}\n": `x.yaml:5: attributes.1.key: "a" has a rule already`,
	} {
		_, err := Parse("x.yaml", []byte(text))
		assert.EqualError(t, err, want)
	}
}

func TestBelow(t *testing.T) {
	registry := func(folder string) any { return map[string]any{"registry": folder} }
	invalid := map[string]any{"registry": "shop", "system": "shop"}
	setting := []any{"shop.yaml", "/other.yaml", "builtin", registry("shop"), registry("/other"), registry(""), invalid}
	assert.Equal(t, []string{"shop.yaml", "/other.yaml", "shop", "/other"}, Paths(setting))
	moved := []any{"/a/shop.yaml", "/other.yaml", "builtin", registry("/a/shop"), registry("/other"), registry(""), invalid}
	assert.Equal(t, moved, Below("/a", setting), "an entry that is refused stays, and so is refused")
}

// The golden file is a pack, so the test also proves that a pack can express the registry's rules.
func TestLoadRegistry(t *testing.T) {
	const golden = "testdata/registry/shop.pack.yaml"
	text, err := os.ReadFile(golden)
	require.NoError(t, err)
	want, err := Parse(golden, text)
	require.NoError(t, err)

	got, err := loadRegistry(Disk, "testdata/registry/shop")
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// Each built-in pack that owns metrics says what a running system sends.
func TestBuiltinPacksExpect(t *testing.T) {
	packs, err := Load([]any{"cadvisor", "dcgm", "fastdeploy", "kube", "node", "pytango", "tensorcast", "tuft"})
	require.NoError(t, err)
	for _, pack := range packs {
		assert.NotZero(t, len(pack.Expect.Metrics)+len(pack.Expect.Components)+len(pack.Expect.Edges), pack.System)
	}
}
