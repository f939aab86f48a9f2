// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// TestCopyClaims checks who may have a name. Each case has claims in the order of their ranks.
func TestCopyClaims(t *testing.T) {
	type claimed struct {
		name, original string
		kind           Kind
		class          Class
		set            string
	}
	for what, c := range map[string]struct {
		claims []claimed
		want   string
	}{
		"a metric keeps copies out":             {[]claimed{{"x", "x", KindGauge, ClassMetric, ""}, {"x", "a", KindGauge, ClassCopy, ""}}, "[true false]"},
		"so does one that is kept":              {[]claimed{{"x", "x", KindGauge, ClassKept, ""}, {"X", "a", KindGauge, ClassCopy, ""}}, "[true false]"},
		"gauges need what keeps them apart":     {[]claimed{{"x", "a", KindGauge, ClassCopy, ""}, {"x", "b", KindGauge, ClassCopy, ""}}, "[true false]"},
		"a constant does":                       {[]claimed{{"x", "a", KindGauge, ClassCopy, "1"}, {"x", "b", KindGauge, ClassCopy, "2"}}, "[true true]"},
		"but not the same one":                  {[]claimed{{"x", "a", KindGauge, ClassCopy, "1"}, {"x", "b", KindGauge, ClassCopy, "1"}}, "[true false]"},
		"counters add up":                       {[]claimed{{"x", "a", KindDeltaCounter, ClassCopy, ""}, {"x", "b", KindDeltaCounter, ClassCopy, ""}}, "[true true shared]"},
		"counters with constants need no name":  {[]claimed{{"x", "a", KindDeltaCounter, ClassCopy, "1"}, {"x", "b", KindDeltaCounter, ClassCopy, "2"}, {"x", "c", KindDeltaCounter, ClassCopy, "2"}}, "[true true true shared]"},
		"a counter is no gauge":                 {[]claimed{{"x", "a", KindGauge, ClassCopy, "1"}, {"x", "b", KindDeltaCounter, ClassCopy, "2"}}, "[true false]"},
		"counters of no temporality stay apart": {[]claimed{{"x", "a", KindUnspecifiedCounter, ClassCopy, "1"}, {"x", "b", KindUnspecifiedCounter, ClassCopy, "2"}}, "[true false]"},
	} {
		claims := New(100)
		var all []*Claim
		for _, c := range c.claims {
			var set []naming.Attribute
			if c.set != "" {
				set = []naming.Attribute{{Key: "kind", Value: c.set}}
			}
			all = append(all, claims.Make(naming.Context{}, c.name, &Claim{Original: c.original, Kind: c.kind, Class: c.class, Set: set}))
		}
		var got []string
		for _, claim := range all {
			v := claims.Use(claim)
			got = append(got, fmt.Sprint(v.Granted))
			if v.Shared {
				got = append(got, "shared")
			}
		}
		assert.Equal(t, c.want, fmt.Sprint(got), what)
	}
}

// TestCopyClaimsInAnyOrder checks that the same copies are made whatever the order of arrival is.
func TestCopyClaimsInAnyOrder(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 7))
		type claim struct {
			name, original, unit string
			kind                 Kind
			class                Class
			set                  []naming.Attribute
		}
		var claims []claim
		for range 2 + r.IntN(12) {
			c := claim{
				name: []string{"x.y", "x_y", "X.y"}[r.IntN(3)], original: string(rune('a' + r.IntN(4))),
				unit: []string{"", "s", "ms"}[r.IntN(3)], kind: KindGauge + Kind(r.IntN(2)), class: Class(r.IntN(3)),
			}
			if c.class == ClassCopy && r.IntN(2) == 0 {
				c.set = []naming.Attribute{{Key: "kind", Value: string(rune('a' + r.IntN(2)))}}
			}
			claims = append(claims, c)
		}
		var want []string
		for range 6 {
			all := New(1000)
			held := make([]*Claim, len(claims))
			for _, i := range r.Perm(len(claims)) {
				c := claims[i]
				held[i] = all.Make(naming.Context{Service: "s"}, c.name, &Claim{Original: c.original, Kind: c.kind, Unit: c.unit, Class: c.class, Set: c.set})
			}
			var got []string
			for i, claim := range held {
				v := claim.Verdict()
				got = append(got, fmt.Sprint(claims[i], v.Granted, v.Unit))
			}
			if want == nil {
				want = got
			}
			require.Equal(t, want, got, "seed %d", seed)
		}
	}
}
