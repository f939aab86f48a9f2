package naming

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// copyOf returns the only copy of a metric named a, by a rule with these attributes.
func copyOf(t testing.TB, rule string) *Copy {
	t.Helper()
	pack, err := conventions.Parse("pack.yaml", []byte("system: s\nowns: {all: true}\nmetrics: {also: [{match: ^a$, name: tc_b, "+rule+"}]}\n"+
		"attributes: [{key: model, rename: tc.model}]\n"))
	require.NoError(t, err)
	n := New([]*conventions.Pack{pack}, Options{Prefix: "acme_"})
	d := n.Metric(nil, "a")
	copies := n.Copies(&d, "a")
	require.Len(t, copies.Also, 1)
	assert.Equal(t, "acme_b", copies.Also[0].Name)
	return &copies.Also[0]
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
