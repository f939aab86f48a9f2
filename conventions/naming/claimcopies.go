// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"slices"
	"strings"
)

// Class is the class of a claim. A claim of a lower class is better: a copy never takes a name from a
// metric, and is never added to one.
type Class uint8

// The classes.
const (
	ClassKept     Class = iota // a metric that keeps its name in any case
	ClassMetric                // a metric under its conformant name
	ClassOriginal              // a copy that keeps the original name
	ClassCopy                  // a copy by a rule
)

// plain are the claims to one name whose points do not need OriginalNameKey: at most one, and for copies
// one for each of the sets that keep their points apart.
type plain struct {
	claims []plainClaim
	kind   Kind
	class  Class
}

type plainClaim struct {
	original string
	set      []Attribute
}

// hasPlain reports whether plain is about metrics of the best claim's kind and class.
func (t *target) hasPlain() bool {
	return len(t.plain.claims) > 0 && t.plain.kind == t.claims[0].Kind && t.plain.class == t.claims[0].Class
}

// decides reports whether it is decided if a claim is a plain one.
func (t *target) decides(claim *Claim) bool {
	return t.hasPlain() && slices.ContainsFunc(t.plain.claims, func(p plainClaim) bool { return !setsApart(p.set, claim.Set) })
}

func (t *target) isPlain(claim *Claim) bool {
	return t.hasPlain() && slices.ContainsFunc(t.plain.claims, func(p plainClaim) bool {
		return p.original == claim.Original && slices.Equal(p.set, claim.Set)
	})
}

// choose adds the best claim with a claim's set to the plain ones.
func (t *target) choose(claim *Claim) {
	best := t.claims[0]
	if !t.hasPlain() {
		t.plain = plain{kind: best.Kind, class: best.Class}
	}
	for _, c := range t.claims {
		if c.Class == best.Class && (c == best || c.Alike(best)) && slices.Equal(c.Set, claim.Set) {
			t.plain.claims = append(t.plain.claims, plainClaim{c.Original, c.Set})
			return
		}
	}
}

// setsApart reports whether points with the attributes of one set differ from those with the other's.
func setsApart(a, b []Attribute) bool {
	return slices.ContainsFunc(a, func(x Attribute) bool {
		return slices.ContainsFunc(b, func(y Attribute) bool { return x.Key == y.Key && x.Value != y.Value })
	})
}

func compareAttributes(a, b Attribute) int {
	if c := strings.Compare(a.Key, b.Key); c != 0 {
		return c
	}
	return strings.Compare(a.Value, b.Value)
}

// judgeCopy completes the verdict on the claim of a copy. The caller holds the lock.
//
// Original names were not in conflict before, so they are not among each other either. Copies by rules
// share a name as metrics do. Those of gauges need attributes that keep them apart.
func (c *Claims) judgeCopy(t *target, claim *Claim, v *Verdict) {
	best := t.claims[0]
	if claim.Class != best.Class || c.meets(t, claim.Class-1) {
		v.Granted = false
		return
	}
	switch {
	case claim.Class == ClassOriginal:
		v.Granted, v.used = true, true
	case claim.Kind.Additive():
		v.used = t.decides(claim)
		v.Shared = v.Granted && v.used && !t.isPlain(claim)
	default:
		v.used, v.Apart = true, true
		for _, better := range t.claims {
			if better == claim || !v.Granted {
				break
			}
			v.Granted = better.Original == claim.Original || setsApart(better.Set, claim.Set) || !better.Verdict().Granted
		}
	}
}

// meets reports whether a metric or a copy up to a class has a name that is the target's after export to
// Prometheus.
func (c *Claims) meets(t *target, class Class) bool {
	return slices.ContainsFunc(t.exported, func(name string) bool {
		return slices.ContainsFunc(c.byExported[targetKey{t.context, name}], func(o *target) bool { return o != t && o.class <= class })
	})
}
