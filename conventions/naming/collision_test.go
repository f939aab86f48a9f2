// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// claim is a claim to a name, and the expected verdict.
type claim struct {
	name, original string
	kind           Kind
	unit           string
	granted        bool
	convert        string
	prometheus     bool
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
			c := NewClaims(100)
			for range 2 {
				for _, one := range order {
					c.Claim(Context{}, one.name, one.original, one.kind, one.unit)
				}
			}
			for _, one := range order {
				v := c.Claim(Context{}, one.name, one.original, one.kind, one.unit).Verdict()
				assert.Equal(t, one.granted, v.Granted, "%s: granted: %+v in %+v", what, one, order)
				assert.Equal(t, one.convert, v.Unit, "%s: unit: %+v in %+v", what, one, order)
				assert.Equal(t, one.prometheus, v.Prometheus, "%s: Prometheus: %+v in %+v", what, one, order)
			}
		})
	}
	f("one identity is one metric",
		claim{"tc_foo", "tc_foo", KindGauge, "", true, "", false},
		claim{"tc_foo", "tc.Foo", KindGauge, "", true, "", false})
	f("milliseconds join seconds",
		claim{"tc_wait", "a.wait", KindCumulativeHistogram, "s", true, "", false},
		claim{"tc_wait", "b.wait", KindCumulativeHistogram, "ms", true, "s", false},
		claim{"tc_wait", "c.wait", KindCumulativeHistogram, "By", false, "", false})
	f("exponential bounds cannot be converted",
		claim{"tc_wait", "a.wait", KindDeltaExponential, "s", true, "", false},
		claim{"tc_wait", "b.wait", KindDeltaExponential, "ms", false, "", false})
	f("a counter and a gauge are never one",
		claim{"tc_foo", "tc.foo", KindGauge, "", false, "", false},
		claim{"tc_foo", "tc_foo", KindCumulativeCounter, "", true, "", false})
	f("a loser's own name is the winner's after export",
		claim{"tc_foo", "tc.foo", KindCumulativeHistogram, "", false, "", true},
		claim{"tc_foo", "tc_foo", KindGauge, "", true, "", false})
	f("delta and cumulative are never one",
		claim{"tc_foo", "a.foo", KindDeltaCounter, "", true, "", false},
		claim{"tc_foo", "b.foo", KindCumulativeCounter, "", false, "", false},
		claim{"tc_foo", "c.foo", KindDeltaCounter, "", true, "", false})
	f("without a temporality nothing is one with anything but itself",
		claim{"tc_foo", "a.foo", KindUnspecifiedHistogram, "", true, "", false},
		claim{"tc_foo", "b.foo", KindUnspecifiedHistogram, "", false, "", false},
		claim{"tc_foo", "c.foo", KindUnspecifiedExponential, "", false, "", false})
	f("a histogram's series and a metric of that name",
		claim{"tc_x", "tc_x", KindCumulativeHistogram, "", true, "", true},
		claim{"tc_x_count", "tc_x_count", KindGauge, "", true, "", true},
		claim{"tc_y", "tc_y", KindGauge, "", true, "", false})
	f("names that are one in Prometheus",
		claim{"tc_cache_hits", "tc_cache.hits", KindCumulativeCounter, "", true, "", true},
		claim{"tc_cache_hits", "tc_cache_hits", KindCumulativeCounter, "", true, "", true},
		claim{"tc_cache_hits_total", "tc_cache_hits_total", KindCumulativeCounter, "", true, "", true})
	f("a unit that Prometheus appends",
		claim{"tc_wait", "tc_wait", KindGauge, "s", true, "", true},
		claim{"tc_wait_seconds", "tc_wait_seconds", KindGauge, "", true, "", true})
	f("a gauge beside a counter of the same stem",
		claim{"tc_hits", "tc_hits", KindGauge, "", true, "", false},
		claim{"tc_hits_total", "tc_hits_total", KindCumulativeCounter, "", true, "", false})
	f("a better claim takes the rival's exported names along",
		claim{"tc_a", "tc_a", KindCumulativeHistogram, "", true, "", true},
		claim{"tc_a", "x.a", KindGauge, "", false, "", false},
		claim{"tc_a_sum", "tc_a_sum", KindGauge, "", true, "", true})
}

func TestClaimsOfContextsAreApart(t *testing.T) {
	c := NewClaims(100)
	a := c.Claim(Context{Service: "a"}, "tc_foo", "tc_foo", KindGauge, "")
	b := c.Claim(Context{Service: "b"}, "tc_foo", "tc_foo", KindSummary, "")
	assert.True(t, a.Verdict().Granted)
	assert.True(t, b.Verdict().Granted)
	assert.NotEqual(t, a.Verdict().Target, b.Verdict().Target)
}

func TestClaimsAreBounded(t *testing.T) {
	c := NewClaims(10)
	for i := range 1000 {
		v := c.Claim(Context{}, fmt.Sprintf("tc_%d", i), "x", KindGauge, "").Verdict()
		assert.True(t, v.Granted)
		assert.Equal(t, i >= 10, v.Target < 0)
	}
	assert.Equal(t, 10, c.claims.Len())
	assert.Len(t, c.targets, 10)
	assert.Len(t, c.byExported, 10)
}

// TestClaimsAreShared checks that one service's claims do not prevent the comparison of
// another's. A claim that is lost has no verdict, and is made again.
func TestClaimsAreShared(t *testing.T) {
	c := NewClaims(160)
	var flood []*Claim
	for i := range 1000 {
		// Claims to one name, and to many that are one name in Prometheus.
		name := fmt.Sprintf("tc_%d", i%300/2)
		flood = append(flood, c.Claim(Context{Service: "flood"}, name, fmt.Sprint(i), Kind(1+i%3), ""))
	}
	assert.Equal(t, 160, c.claims.Len())
	for s := range 5 {
		ctx := Context{Service: fmt.Sprint("quiet-", s)}
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
	for _, targets := range c.byExported {
		for _, target := range targets {
			assert.Same(t, target, c.targets[targetKey{target.context, target.name}])
		}
	}
	lost := 0
	for _, claim := range flood {
		if claim.Verdict() == nil {
			lost++
		}
	}
	assert.Positive(t, lost)
	assert.NotNil(t, c.Claim(Context{Service: "flood"}, "tc_0", "0", KindGauge, "").Verdict())
}

func TestClaimsConcurrently(t *testing.T) {
	c := NewClaims(1000)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				c.Claim(Context{}, fmt.Sprintf("tc_%d", i%20), fmt.Sprint(g, i), Kind(1+i%3), "").Verdict()
			}
		})
	}
	wg.Wait()
	granted := map[int]map[Kind]bool{}
	for _, target := range c.targets {
		for _, one := range target.claims {
			if v := one.Verdict(); v.Granted {
				if granted[v.Target] == nil {
					granted[v.Target] = map[Kind]bool{}
				}
				granted[v.Target][one.Kind] = true
			}
		}
	}
	for target, kinds := range granted {
		assert.Len(t, kinds, 1, "target %d", target)
	}
}

// firstOf admits the first names of each component, and the first components.
func firstOf(names, components int) Admit {
	all := map[string]map[string]bool{}
	return func(component, operation string) (admitted, known bool) {
		operations, known := all[component]
		switch {
		case operations[operation]:
			return true, true
		case len(operations) >= names || !known && len(all) >= components:
			return false, known
		case !known:
			operations = map[string]bool{}
			all[component] = operations
		}
		operations[operation] = true
		return true, true
	}
}

func TestFold(t *testing.T) {
	n := newNamer(t, Options{})
	admit := firstOf(3, 4)
	fold := func(name string) string {
		d := unowned.span(n, "", name)
		d.Fold(admit)
		return d.Name
	}
	for range 2 {
		assert.Equal(t, "A/One", fold("A/One"))
		assert.Equal(t, "A/Two", fold("A/Two"))
		assert.Equal(t, "A/Three", fold("a.three"))
		assert.Equal(t, "A/Other", fold("A/Four"))
		assert.Equal(t, "A/Other", fold("A/Other"))
		assert.Equal(t, "B/One", fold("B/One"))
		for _, route := range []string{"GET /a", "GET /b", "POST /a"} {
			assert.Equal(t, route, fold(route))
		}
		assert.Equal(t, "PUT", fold("PUT /d"))
		assert.Equal(t, "GET", fold("GET"))
		assert.Equal(t, "C/Other", fold("C/Other"), "a name like another")
		assert.Equal(t, "Other/Other", fold("OneTooMany/X"))
		assert.Equal(t, "Other/Other", fold("OneTooMany/Other"))
		assert.Equal(t, "Other/Other", fold("Other/Other"))
	}
}

// TestClaimsOfOneExportedNameInTime uses names that are all one in Prometheus, which removes every
// "total" of a counter's name before it puts one at the end.
func TestClaimsOfOneExportedNameInTime(t *testing.T) {
	c := NewClaims(1 << 13)
	began := time.Now()
	var last *Claim
	for bits := range 1 << 13 {
		name := "tc"
		for word := range 13 {
			name += "_" + string(rune('a'+word))
			if bits>>word&1 == 1 {
				name += "_total"
			}
		}
		last = c.Claim(Context{}, name, name, KindCumulativeCounter, "")
	}
	assert.True(t, last.Verdict().Prometheus)
	assert.Less(t, time.Since(began), 3*time.Second)
}

// TestKeptNames checks that a metric that keeps its name shares it with none, in any order of arrival: its
// points, unit and attributes must stay as they are.
func TestKeptNames(t *testing.T) {
	type wish struct {
		original, unit string
		kept           bool
	}
	wishes := []wish{{"tc_foo", "s", true}, {"tc_foo", "ms", true}, {"tc.foo", "s", false}, {"tc_foo", "s", false}}
	for order := range 24 {
		c := NewClaims(100)
		rest, claims := slices.Clone(wishes), map[wish]*Claim{}
		for n := len(rest); n > 0; n-- {
			w := rest[order%n]
			order /= n
			rest = slices.DeleteFunc(rest, func(o wish) bool { return o == w })
			if w.kept {
				claims[w] = c.Keep(Context{}, w.original, KindCumulativeCounter, w.unit)
			} else {
				claims[w] = c.Claim(Context{}, "tc_foo", w.original, KindCumulativeCounter, w.unit)
			}
			c.Use(claims[w]) // each comes in a batch of its own
		}
		for w, claim := range claims {
			v := c.Use(claim)
			assert.Equal(t, w.kept, v.Granted, "%+v", w)
			assert.Empty(t, v.Unit, "%+v", w)
			assert.False(t, v.Shared, "%+v", w)
			if w.kept {
				assert.Negative(t, v.Target, "%+v is merged with none", w)
			}
		}
	}
	// A kept name that is the same in Prometheus only.
	c := NewClaims(100)
	mine := c.Claim(Context{}, "tc_foo", "Foo", KindGauge, "")
	c.Keep(Context{}, "tc.foo", KindGauge, "")
	assert.True(t, c.Use(mine).Granted)
	assert.True(t, c.Use(mine).Prometheus)
}

func TestCanBeConformant(t *testing.T) {
	n := newNamer(t, Options{})
	for _, name := range []string{"tc_foo", "tc.foo", "TC_Foo", "Tc-x", "tc_"} {
		assert.True(t, n.CanBeConformant(name), name)
	}
	for _, name := range []string{"", "tc", "tcp_connections", "node_cpu", "_tc_x"} {
		assert.False(t, n.CanBeConformant(name), name)
	}
}
