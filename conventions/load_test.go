// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
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
	own := filepath.Join(t.TempDir(), "own.yaml")
	require.NoError(t, os.WriteFile(own, []byte("system: own\nowns: {scopes: ['own.*']}\n"), 0o600))

	packs, err := Load([]any{own, "tuft"})
	require.NoError(t, err)
	require.Len(t, packs, 2)
	assert.Equal(t, "own", packs[0].System)
	assert.True(t, packs[0].Owns.Scopes[0].Match("own.part"))
	assert.Equal(t, "tuft", packs[1].System)
}

// TestLoadBuiltins checks that the entry builtin stands for the packs that no other entry replaces.
func TestLoadBuiltins(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own.yaml")
	require.NoError(t, os.WriteFile(own, []byte("system: tuft\nowns: {scopes: ['own.*']}\n"), 0o600))
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

func TestParseErrors(t *testing.T) {
	const head = "system: x\nowns: {scopes: [x]}\n"
	f := func(text, want string) {
		t.Helper()
		_, err := Parse("x.yaml", []byte(text))
		assert.EqualError(t, err, want)
	}
	f("", "x.yaml: a pack must not be empty")
	f(head+"---\nsystem: y\n", "x.yaml:3: a pack must be one YAML document")
	f("a: [", "x.yaml: yaml: line 1: did not find expected node content")
	f(head+"mterics: 7\n", `x.yaml:3: pack: additional properties 'mterics' not allowed (got "7"); did you mean "metrics"?`)
	f(head+"metrics:\n  rename:\n    a.b: TC_X\n", `x.yaml:5: pack.metrics.rename.a.b: 'TC_X' does not match pattern '^tc(_[a-z0-9]+)+$' (got "TC_X")`)
	f("system: x\nowns: {}\n", `x.yaml:2: pack.owns: minProperties: got 0, want 1`)
	f("owns: {scopes: [x]}\n", `x.yaml:1: pack: missing property 'system'`)
	f(head+"attributes:\n  - key: a\n    rename: 5\n", `x.yaml:5: pack.attributes.0.rename: got number, want string (got "5")`)
	f(head+"spans:\n  rules:\n    - match: '(['\n      component: A\n      operation: B\n",
		"x.yaml:5: pack.spans.rules.0.match: '([' is not valid regex: error parsing regexp: missing closing ]: `[` (got \"([\")")
	f(head+"metrics:\n  rules:\n    - match: a\n      convert: sec\n",
		`x.yaml:6: pack.metrics.rules.0.convert: value must be one of 's', 'ms', 'us', 'ns', 'min', 'By', 'KiBy', 'MiBy', 'GiBy', '1', '%' (got "sec")`)
	f(head+"metrics:\n  rules:\n    - match: a\n      unit: ms\n      convert: By\n",
		`x.yaml:7: metrics.rules.0.convert: ms cannot be converted to By`)
	f(head+"spans:\n  rules:\n    - match: 'a'\n      component: A\n      operation: '{op}'\n",
		`x.yaml:5: spans.rules.0: placeholder {op} names no group of the pattern "a"`)
	f(head+"metrics:\n  rename:\n    a: tc_b\n    tc_b: tc_c\n    tc_c: tc_c\n",
		`x.yaml:5: metrics.rename.a: "tc_b" is itself renamed, to "tc_c"`)
	f(head+"attributes:\n  - {key: a, rename: x.b}\n  - {key: x.b, rename: x.c}\n  - {key: x.c, type: int}\n",
		`x.yaml:4: attributes.0.rename: "x.b" is itself renamed, to "x.c"`)
	f(head+"metrics:\n  units: {tokens: '{token}', '{token}': '1'}\n",
		`x.yaml:4: metrics.units.tokens: "{token}" is itself replaced, by "1"`)
	f(head+"attributes:\n  - {key: a, type: int}\n  - {key: a, rename: x.b}\n",
		`x.yaml:5: attributes.1.key: "a" has a rule already`)
	f(head+"attributes:\n  - {key: a, id: false}\n", `x.yaml:4: pack.attributes.0.id: value must be true (got "false")`)
	f(head+"attributes:\n  - key: a\n    id: true\n    allowed: [b]\n",
		`x.yaml:5: attributes.0.id: the values of "a" are not ids: allowed lists them all`)
	f(head+"attributes:\n  - {key: a, id: true, type: bool}\n", `x.yaml:4: attributes.0.id: the values of "a" are not ids: type is bool`)
	f(head+"attributes:\n  - {key: a, id: true, sensitive: remove}\n",
		`x.yaml:4: attributes.0.id: the values of "a" are not ids: sensitive removes them`)
	f(head+"attributes:\n  - {key: x.b, allowed: [c]}\n  - {key: a, rename: x.b, id: true}\n",
		`x.yaml:5: attributes.1.id: the values of "x.b" are not ids: allowed lists them all`)
	f(head+"attributes:\n  - {key: x.b, id: true}\n  - {key: a, rename: x.b, type: bool}\n",
		`x.yaml:5: attributes.1.id: the values of "a" are not ids: type is bool`)
	f(head+"metrics:\n  gauges:\n    - {match: a, aggregate: avg}\n",
		`x.yaml:5: pack.metrics.gauges.0.aggregate: value must be one of 'last', 'min', 'max', 'mean', 'sum' (got "avg")`)
	f(head+"metrics:\n  gauges:\n    - {match: a}\n", `x.yaml:5: pack.metrics.gauges.0: missing property 'aggregate'`)
	f(head+"metrics:\n  gauges:\n    - {match: a*, aggregate: sum}\n    - {match: b, aggregate: sum}\n    - match: a*b\n      aggregate: max\n",
		`x.yaml:7: metrics.gauges.2.match: metrics.gauges.0 decides all that it matches (got "a*b")`)
	f(head+"logs:\n  formats:\n    - {name: a-b, lines: [x]}\n",
		`x.yaml:5: pack.logs.formats.0.name: 'a-b' does not match pattern '^[a-z][a-z0-9_]*$' (got "a-b")`)
	f(head+"logs:\n  formats:\n    - {name: a, lines: []}\n", `x.yaml:5: pack.logs.formats.0.lines: minItems: got 0, want 1`)
	f(head+"logs:\n  formats:\n    - {name: a, lines: ['{severity} {body}'], joins: false}\n",
		`x.yaml:5: pack.logs.formats.0.joins: value must be true (got "false")`)
	f(head+"logs:\n  formats:\n    - {name: a, lines: ['{severity} {body}']}\n    - {name: a, lines: ['{severity}: {body}']}\n",
		`x.yaml:6: logs.formats.1.name: "a" is the name of an earlier format`)
	f(head+"logs:\n  formats:\n    - name: a\n      lines:\n        - '{severity} {body}'\n        - '{time:%q} {body}'\n        - '{body}'\n",
		`x.yaml:8: logs.formats.0.lines.1: {time:%q}: a verb must be % and one of YmbdHIMSpfzQ (got "%q")
x.yaml:9: logs.formats.0.lines.2: a layout must have {time:format} or {severity}, by which records are recognised`)
	f(head+"logs:\n  formats:\n    - {name: a, joins: true, lines: ['{severity} {body} ']}\n",
		`x.yaml:5: logs.formats.0.lines.0: must end in {body}, which the lines that follow are added to: joins is true`)
	f(head+"system: y\n", `x.yaml: yaml: unmarshal errors:
  line 3: mapping key "system" already defined at line 1`)
	f(head+"attributes: 1\nspans: 2\n", `x.yaml:3: pack.attributes: got number, want array (got "1")
x.yaml:4: pack.spans: got number, want object (got "2")`)
}

func TestParseSeries(t *testing.T) {
	pack, err := Parse("x.yaml", []byte(`
system: x
owns: {scopes: [x]}
metrics:
  gauges:
    - {match: "a*b", aggregate: mean}
    - {match: "a*", aggregate: last}
attributes:
  - {key: a, rename: x.a, id: true, type: int, sensitive: redact}
  - {key: x.a, id: true}
`))
	require.NoError(t, err)
	assert.Equal(t, []GaugeRule{{glob.New("a*b"), AggregateMean}, {glob.New("a*"), AggregateLast}}, pack.Metrics.Gauges)
	assert.True(t, pack.Attributes[0].ID)
}
