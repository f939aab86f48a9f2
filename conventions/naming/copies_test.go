// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// Each point has one copy of a name: by the first rule that selects it.
func TestCopiesWhere(t *testing.T) {
	pack, err := conventions.Parse("pack.yaml", []byte(`
system: s
owns: {resource: {service.name: [s]}}
attributes: [{key: kind, rename: tc.kind}]
metrics:
  also:
    - {match: ^a$, name: b, where: {kind: in}, set: {to: in}}
    - {match: '^[ac]$', name: B, where: {tc.kind: out, more: x}, set: {to: out}}
    - {match: '^[ad]$', name: b, where: {kind: none}}
    - {match: '^[ae]$', name: b, set: {to: in, too: y}}
    - {match: '^[af]$', name: b, set: {to: else}, attributes: {kind: as}}
    - {match: '^[ag]$', name: b, where: {kind: out}, set: {to: never}}
`))
	require.NoError(t, err)
	n := New([]*conventions.Pack{pack}, Options{Prefix: "tc_"})
	d := n.Metric(n.Systems()[0], "a")
	copies := n.Copies(&d, "a")
	var rules []any
	for _, c := range copies {
		rules = append(rules, c.Source.Key[2])
	}
	require.Equal(t, []any{0, 1, 4}, rules)
	for point, want := range map[[2]string]int{{"in", ""}: 0, {"in", "x"}: 0, {"out", "x"}: 1, {"out", ""}: 2, {"", ""}: 2, {"IN", ""}: 2} {
		for i, c := range copies {
			assert.Equal(t, i == want, c.Selects(func(key string) (string, bool) {
				text := map[string]string{"tc.kind": point[0], "more": point[1]}[key]
				return text, text != ""
			}), "%v: %d", point, i)
			assert.Equal(t, i < 2, c.Drops("tc.kind"), i)
			assert.False(t, c.SelectsAll())
		}
	}
}

// copyOf returns the only copy of a metric named a, by a rule with these attributes.
func copyOf(t testing.TB, rule string) *Copy {
	t.Helper()
	pack, err := conventions.Parse("pack.yaml", []byte("system: s\nowns: {all: true}\nmetrics: {also: [{match: ^a$, name: tc_b, "+rule+"}]}\n"+
		"attributes: [{key: model, rename: tc.model}]\n"))
	require.NoError(t, err)
	n := New([]*conventions.Pack{pack}, Options{Prefix: "acme_"})
	d := n.Metric(nil, "a")
	copies := n.Copies(&d, "a")
	require.Len(t, copies, 1)
	assert.Equal(t, "acme_b", copies[0].Name)
	return &copies[0]
}

// FuzzCopyKeys checks that two different sets of keys stay different on a copy, and that no two keys of one
// point become one. Each bit of a set is one key.
func FuzzCopyKeys(f *testing.F) {
	keys := []string{"model", "tc.model", "kind", "exported_kind", "exported_exported_kind", "gen_ai.model", "exported_gen_ai.model", "other", "exported_"}
	c := copyOf(f, "attributes: {model: gen_ai.model, other: kind}, set: {fixed: x}")
	for set := range uint16(1 << len(keys)) {
		f.Add(set, set^3)
	}
	f.Fuzz(func(t *testing.T, one, other uint16) {
		result := func(set uint16) map[string]bool {
			has := map[string]bool{}
			for i, key := range keys {
				has[key] = set&(1<<i) != 0
			}
			// Naming leaves the original key only where the conformant one was there already.
			if has["model"] && !has["tc.model"] {
				has["model"], has["tc.model"] = false, true
			}
			to, n := map[string]bool{}, 0
			for key := range has {
				if has[key] {
					n++
					renamed, _ := c.Key(key, func(key string) bool { return has[key] })
					to[renamed] = true
				}
			}
			require.Len(t, to, n, "%016b", set)
			require.False(t, to["fixed"])
			delete(has, "")
			return to
		}
		normal := func(set uint16) uint16 {
			set &= 1<<len(keys) - 1
			if set&3 == 1 {
				set ^= 3
			}
			return set
		}
		if normal(one) != normal(other) {
			require.NotEqual(t, result(one), result(other), "%016b and %016b", one, other)
		} else {
			require.Equal(t, result(one), result(other))
		}
	})
}
