// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// claim is a claim to a name, and the expected verdict.
type claim struct {
	name, original string
	kind           Kind
	unit           string
	granted        bool
	convert        string
}

// everyOrder calls yield with every permutation of claims.
func everyOrder(claims []claim, yield func([]claim)) {
	if len(claims) == 0 {
		yield(nil)
		return
	}
	for i, first := range claims {
		rest := slices.Delete(slices.Clone(claims), i, i+1)
		everyOrder(rest, func(order []claim) { yield(append([]claim{first}, order...)) })
	}
}

func TestClaims(t *testing.T) {
	// The result is the same for every order, and when all claims are made a second time.
	f := func(what string, claims ...claim) {
		t.Helper()
		everyOrder(claims, func(order []claim) {
			c := New(100)
			for range 2 {
				for _, one := range order {
					c.Claim(naming.Context{}, one.name, one.original, one.kind, one.unit)
				}
			}
			for _, one := range order {
				v := c.Claim(naming.Context{}, one.name, one.original, one.kind, one.unit).Verdict()
				assert.Equal(t, one.granted, v.Granted, "%s: granted: %+v in %+v", what, one, order)
				assert.Equal(t, one.convert, v.Unit, "%s: unit: %+v in %+v", what, one, order)
			}
		})
	}
	f("one identity is one metric",
		claim{"tc_foo", "tc_foo", KindGauge, "", true, ""},
		claim{"tc_foo", "tc.Foo", KindGauge, "", true, ""})
	f("milliseconds join seconds",
		claim{"tc_wait", "a.wait", KindCumulativeHistogram, "s", true, ""},
		claim{"tc_wait", "b.wait", KindCumulativeHistogram, "ms", true, "s"},
		claim{"tc_wait", "c.wait", KindCumulativeHistogram, "By", false, ""})
	f("exponential bounds cannot be converted",
		claim{"tc_wait", "a.wait", KindDeltaExponential, "s", true, ""},
		claim{"tc_wait", "b.wait", KindDeltaExponential, "ms", false, ""})
	f("a counter and a gauge are never one",
		claim{"tc_foo", "tc.foo", KindGauge, "", false, ""},
		claim{"tc_foo", "tc_foo", KindCumulativeCounter, "", true, ""})
	f("delta and cumulative are never one",
		claim{"tc_foo", "a.foo", KindDeltaCounter, "", true, ""},
		claim{"tc_foo", "b.foo", KindCumulativeCounter, "", false, ""},
		claim{"tc_foo", "c.foo", KindDeltaCounter, "", true, ""})
	f("without a temporality nothing is one with anything but itself",
		claim{"tc_foo", "a.foo", KindUnspecifiedHistogram, "", true, ""},
		claim{"tc_foo", "b.foo", KindUnspecifiedHistogram, "", false, ""},
		claim{"tc_foo", "c.foo", KindUnspecifiedExponential, "", false, ""})
}

func TestClaimsAreBounded(t *testing.T) {
	c := New(10)
	for i := range 1000 {
		v := c.Claim(naming.Context{}, fmt.Sprintf("tc_%d", i), "x", KindGauge, "").Verdict()
		assert.True(t, v.Granted)
		assert.Equal(t, i >= 10, v.Target < 0)
	}
	assert.Equal(t, 10, c.claims.Len())
	assert.Len(t, c.targets, 10)
}

// TestClaimsAreShared checks that one service's claims do not prevent the comparison of
// another's. A claim that is lost has no verdict, and is made again.
func TestClaimsAreShared(t *testing.T) {
	c := New(160)
	var flood []*Claim
	for i := range 1000 {
		// Several claims to each name.
		name := fmt.Sprintf("tc_%d", i%300/2)
		flood = append(flood, c.Claim(naming.Context{Service: "flood"}, name, fmt.Sprint(i), Kind(1+i%3), ""))
	}
	assert.Equal(t, 160, c.claims.Len())
	for s := range 5 {
		ctx := naming.Context{Service: fmt.Sprint("quiet-", s)}
		for i := range claimsOfService / 2 {
			name := fmt.Sprintf("tc_%d", i)
			best := c.Claim(ctx, name, name, KindGauge, "")
			second := c.Claim(ctx, name, "other", KindGauge, "")
			rival := c.Claim(ctx, name, "rival", KindSummary, "")
			assert.Equal(t, best.Verdict().Target, second.Verdict().Target)
			assert.GreaterOrEqual(t, second.Verdict().Target, 0)
			assert.False(t, rival.Verdict().Granted)
		}
	}
	assert.LessOrEqual(t, c.claims.Len(), 160)
	claims := 0
	for key, target := range c.targets {
		assert.NotEmpty(t, target.claims, key.name)
		claims += len(target.claims)
		for _, claim := range target.claims {
			assert.NotNil(t, claim.Verdict())
		}
	}
	assert.Equal(t, c.claims.Len(), claims)
	lost := 0
	for _, claim := range flood {
		if claim.Verdict() == nil {
			lost++
		}
	}
	assert.Positive(t, lost)
	assert.NotNil(t, c.Claim(naming.Context{Service: "flood"}, "tc_0", "0", KindGauge, "").Verdict())
}
