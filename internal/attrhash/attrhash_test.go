// SPDX-License-Identifier: Apache-2.0

package attrhash

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

func attributes(t *testing.T, values map[string]any) pcommon.Map {
	t.Helper()
	m := pcommon.NewMap()
	require.NoError(t, m.FromRaw(values))
	return m
}

// TestValuesAreStable checks hashes that snapshots of released versions store.
func TestValuesAreStable(t *testing.T) {
	m := attributes(t, map[string]any{
		"text": "a", "int": 1, "double": 1.5, "true": true, "false": false, "none": nil, "bytes": []byte("b"),
		"slice": []any{"a", 1}, "map": map[string]any{"k": "v"},
	})
	assert.Equal(t, Hash{0xb0fe3ef5970e8700, 0x05dcd2fcdce05466}, Map(7, m))
	assert.Equal(t, Hash{0xbcad29f5f7a28419, 0x3d06eeabadaddb9c}, Hash{Lo: 7}.Text("a").Number(1))
}

// TestDifferent checks that similar values and sets have different hashes.
func TestDifferent(t *testing.T) {
	seen := map[Hash]int{}
	for i, values := range []map[string]any{
		{}, {"a": "1"}, {"a": 1}, {"a": 1.0}, {"a": true}, {"a": []byte("1")}, {"a": nil}, {"a": ""}, {"a": false}, {"a": 0}, {"a": 0.0},
		{"a": math.Copysign(0, -1)}, {"a": []any{}}, {"a": map[string]any{}}, {"a": []any{1}}, {"a": []any{"1"}}, {"a": []any{[]any{"1"}}},
		{"a": []any{1, 2}}, {"a": []any{2, 1}}, {"a": map[string]any{"1": 1}}, {"a": map[string]any{"a": "1"}},
		{"b": "1"}, {"a1": ""}, {"": "a1"}, {"": "1"}, {"a": "b"}, {"b": "a"},
		{"a": "1", "b": "2"}, {"a": "2", "b": "1"}, {"a": "1", "b": "1"}, {"a": "2", "b": "2"},
	} {
		h := Map(1, attributes(t, values))
		before, ok := seen[h]
		assert.False(t, ok, "%d and %d", before, i)
		seen[h] = i
	}
	assert.NotEqual(t, Hash{}.Text("a").Text("b"), Hash{}.Text("ab").Text(""))
	assert.NotEqual(t, Hash{}.Text("a").Text("b"), Hash{}.Text("b").Text("a"))
	assert.NotEqual(t, Hash{Hi: 1}.Number(1), Hash{Hi: 2}.Number(1))
}

// TestAnyOrder checks that the hash of a set is independent of the order of its pairs, and
// that a pair can be replaced in it.
func TestAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		keys := []string{"a", "b", "c", "d", "e"}
		values := map[string]int64{}
		for _, key := range keys {
			values[key] = r.Int64N(3)
		}
		made := func() Hash {
			m := pcommon.NewMap()
			for _, key := range keys {
				m.PutInt(key, values[key])
			}
			return Map(3, m)
		}
		before := made()
		r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		require.Equal(t, before, made())

		pair := func() Hash { return Value(Key(3, "c"), pcommon.NewValueInt(values["c"])) }
		old := pair()
		values["c"] = r.Int64N(3)
		require.Equal(t, made(), before.Minus(old).Plus(pair()))
	}
}
