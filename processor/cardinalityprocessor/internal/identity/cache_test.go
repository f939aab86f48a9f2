// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// someAttributes returns a random map with few different keys and values, so that maps
// often have some in common.
func someAttributes(r *rand.Rand) pcommon.Map {
	keys := []string{"a", "b", "c", "user", "id", "session", OverflowKey}
	r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	m := pcommon.NewMap()
	for _, key := range keys[:r.IntN(len(keys)+1)] {
		value := m.PutEmpty(key)
		switch r.IntN(8) {
		case 0:
			value.SetInt(r.Int64N(2))
		case 1:
			value.SetDouble(float64(r.IntN(2)))
		case 2:
			value.SetBool(r.IntN(2) == 0)
		case 3:
			value.SetEmptyBytes().Append(byte(r.IntN(2)))
		case 4: // empty
		case 5:
			value.SetStr(fmt.Sprintf("%0*d", 2*maxTextBytes, r.IntN(2)))
		default:
			value.SetStr([]string{"", "x", "y"}[r.IntN(3)])
		}
	}
	if r.IntN(20) == 0 {
		for i := range maxKeys {
			m.PutInt(fmt.Sprint("n", i), r.Int64N(2))
		}
	}
	return m
}

// TestCache checks that a Cache returns the same as Of and Keys.Drops, whatever the last
// maps were.
func TestCache(t *testing.T) {
	planner := plan.New(nil, plan.Settings{
		Limited: plan.LimitedOf(map[string]int{"user": 1, "session": 1}),
		Overrides: []plan.Override{
			{Metric: glob.New("id"), Drop: []string{"id"}},
			{Metric: glob.New("three"), Drop: []string{"id", "session", OverflowKey}},
			{Metric: glob.New("keep"), Keep: []string{"a", "user"}},
		},
	}, 0)
	var rules []*plan.Keys
	for _, metric := range []string{"none", "id", "three", "keep"} {
		rules = append(rules, planner.Restore(plan.Input{Name: metric}).Keys)
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		var cache Cache
		cache.Begin(seed)
		attrs := someAttributes(r)
		for i := range 200 {
			if r.IntN(4) > 0 {
				attrs = someAttributes(r)
			} else if value, ok := attrs.Get("a"); ok {
				value.SetInt(r.Int64N(3)) // one value changes
			}
			keys := rules[r.IntN(len(rules))]
			require.Equal(t, Of(seed, attrs, keys), cache.Point(attrs, keys), "seed %d, map %d: %v", seed, i, attrs.AsRaw())

			kept, want := pcommon.NewMap(), pcommon.NewMap()
			attrs.CopyTo(kept)
			attrs.CopyTo(want)
			cache.Drop(kept, keys)
			want.RemoveIf(func(key string, _ pcommon.Value) bool { return keys.Drops(key) })
			require.Equal(t, want.AsRaw(), kept.AsRaw(), "seed %d, map %d", seed, i)
		}
	}
}
