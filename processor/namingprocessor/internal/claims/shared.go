// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// Class is the class of a claim. A claim of a lower class is better: a copy never takes a name from a
// metric, and is never added to one.
type Class uint8

// The classes.
const (
	ClassKept   Class = iota // a metric that keeps its name in any case
	ClassMetric              // a metric under its conformant name
	ClassCopy                // a copy by a rule
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
	set      []naming.Attribute
}

// hasPlain reports whether plain is about metrics of the best claim's kind and class.
func (t *target) hasPlain() bool {
	return len(t.plain.claims) > 0 && t.plain.kind == t.claims[0].Kind && t.plain.class == t.claims[0].Class
}

// decides reports whether it is decided if a claim is a plain one.
func (t *target) decides(claim *Claim) bool {
	return t.hasPlain() && slices.ContainsFunc(t.plain.claims, func(p plainClaim) bool { return !naming.SetsApart(p.set, claim.Set) })
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

func compareAttributes(a, b naming.Attribute) int {
	if c := strings.Compare(a.Key, b.Key); c != 0 {
		return c
	}
	return strings.Compare(a.Value, b.Value)
}

// judgeCopy completes the verdict on the claim of a copy: copies share a name as metrics do. Those of gauges need
// attributes that keep them apart. The caller holds the lock.
func (c *Claims) judgeCopy(t *target, claim *Claim, v *Verdict) {
	if claim.Class != t.claims[0].Class {
		return // a metric has the name
	}
	if claim.Kind.Additive() {
		v.used = t.decides(claim)
		v.Shared = v.Granted && v.used && !t.isPlain(claim)
		return
	}
	v.used, v.Apart = true, true
	for _, better := range t.claims {
		if better == claim || !v.Granted {
			break
		}
		v.Granted = better.Original == claim.Original || naming.SetsApart(better.Set, claim.Set) || !better.Verdict().Granted
	}
}
