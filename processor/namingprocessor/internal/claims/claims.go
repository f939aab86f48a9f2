// SPDX-License-Identifier: Apache-2.0

// Package claims decides which metrics may have which conformant name, where several want one.
package claims

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/fairshare"
)

// Claim is the claim of one metric to a name.
type Claim struct {
	Original string
	Kind     Kind
	Unit     string
	Class    Class
	Set      []naming.Attribute // attributes of all points, for ClassCopy

	target  *target
	verdict atomic.Pointer[Verdict]
}

// Alike reports whether two metrics have one kind and, by conversion, one unit.
func (c *Claim) Alike(o *Claim) bool {
	_, convertible := conventions.Convert(c.Unit, o.Unit)
	return c.Kind == o.Kind && (c.Unit == o.Unit || convertible && c.Kind.Convertible())
}

// Verdict is the decision on a claim.
type Verdict struct {
	// Granted reports whether the metric may have the conformant name.
	Granted bool
	// Target identifies the name within a Claims. Metrics of one scope with the same granted
	// target are one metric. It is -1 if the claim was not compared with other claims.
	Target int
	// Shared reports whether a metric of another original name had the name first. The points of
	// both can have equal attributes and times, so those of this metric need OriginalNameKey.
	Shared bool
	// used reports whether Shared was decided, which Use does.
	used bool
	// Apart reports whether Claims.Apart was called for the name.
	Apart bool
	// Unit is the unit to which values have to be converted, or empty.
	Unit string
}

// Verdict returns the decision on the claim, or nil when the claim has to be made again. It
// changes only when a better claim to the same name is made or withdrawn.
func (c *Claim) Verdict() *Verdict { return c.verdict.Load() }

// Claims decides which metrics may have which conformant name. The claims to one name are
// ranked by their content, never by their arrival: a metric comes before a copy, an unchanged name
// before a changed one, then original name, kind and unit decide. The result is therefore the same for every
// order of arrival.
//
// The best claim has the name. Claims of the same kind share it, and their values are converted
// where units differ. Claims of another kind, and of kinds that cannot be merged, keep their
// original names.
//
// Counters and histograms of one name add up, so the points of all original names but one have
// it as an attribute. That one is the best of the batch that first uses the name, and stays so:
// its series would change otherwise. Gauges do not add up. Once one scope has two, all but the
// best original name keep their names.
//
// Claims is safe for concurrent use. It holds a bounded number of claims, shared fairly between
// services, and at most maxRivals claims to one name. A claim for which there is no room is
// granted without a comparison. A claim that a service loses to another service has no verdict
// anymore, and has to be made again.
type Claims struct {
	mu      sync.Mutex
	claims  *fairshare.Table[*Claim, *target]
	changed map[*target]bool // lost a claim, and need new verdicts
	targets map[targetKey]*target
	nextID  int
}

type targetKey struct {
	context naming.Context
	name    string
}

type target struct {
	id      int
	name    string
	context naming.Context
	claims  []*Claim // ranked
	plain   plain
	apart   bool // gauges and summaries of other original names cannot have the name
}

// New returns a Claims that holds at most that many claims.
func New(most int) *Claims {
	c := &Claims{changed: map[*target]bool{}, targets: map[targetKey]*target{}}
	c.claims = fairshare.New(fairshare.Limits{Entries: most, Service: most, Services: max(1, most/claimsOfService)}, c.forgot)
	return c
}

// claimsOfService is the number of claims that each service can always hold.
const claimsOfService = 16

// forgot withdraws a claim that is no longer held. The caller holds the lock.
func (c *Claims) forgot(claim *Claim, t *target) {
	i, _ := slices.BinarySearchFunc(t.claims, claim, t.rank)
	t.claims = slices.Delete(t.claims, i, i+1)
	claim.verdict.Store(nil)
	c.changed[t] = true
}

// decideChanged decides again on the claims of targets that lost a claim. The caller holds the
// lock.
func (c *Claims) decideChanged() {
	for t := range c.changed {
		if len(t.claims) > 0 {
			c.decide(t)
			continue
		}
		delete(c.targets, targetKey{t.context, t.name})
	}
	clear(c.changed)
}

// Claim returns the claim of a metric of one context to a conformant name. Equal claims share
// one Claim.
func (c *Claims) Claim(ctx naming.Context, name, original string, kind Kind, unit string) *Claim {
	return c.Make(ctx, name, &Claim{Original: original, Kind: kind, Unit: unit, Class: ClassMetric})
}

// Keep returns the claim of a metric that keeps its name, whoever else claims it. It is the best
// claim, and shares the name with no other one.
func (c *Claims) Keep(ctx naming.Context, name string, kind Kind, unit string) *Claim {
	return c.Make(ctx, name, &Claim{Original: name, Kind: kind, Unit: unit, Class: ClassKept})
}

// Make is Claim for a claim of any class. It returns the claim, or an equal one.
func (c *Claims) Make(ctx naming.Context, name string, claim *Claim) *Claim {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := targetKey{ctx, strings.ToLower(name)}
	t := c.targets[key]
	if t != nil {
		if i, ok := slices.BinarySearchFunc(t.claims, claim, t.rank); ok {
			c.claims.Get(ctx.Service, t.claims[i]) // keeps it from being forgotten
			return t.claims[i]
		}
	} else {
		t = &target{id: c.nextID, name: key.name, context: ctx}
	}
	claim.target = t
	defer c.decideChanged()
	if len(t.claims) >= maxRivals || !c.claims.Put(ctx.Service, claim, t) {
		claim.verdict.Store(&Verdict{Granted: true, Target: -1})
		return claim
	}
	if c.targets[key] == nil {
		c.targets[key] = t
		c.nextID++
	}
	i, _ := slices.BinarySearchFunc(t.claims, claim, t.rank)
	t.claims = slices.Insert(t.claims, i, claim)
	if i == 0 || claim.Class == ClassCopy { // copies of gauges depend on all better ones
		c.decide(t)
	} else {
		claim.verdict.Store(c.judge(t, claim))
	}
	return claim
}

// maxRivals bounds the claims to one name, and with it the time to decide again on all of them.
// There are 15 kinds, and usually a few spellings and units.
const maxRivals = 256

// rank orders the claims to one name, the best first.
func (t *target) rank(a, b *Claim) int {
	changed := func(c *Claim) int {
		if c.Original == t.name {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.Class, b.Class), changed(a)-changed(b), strings.Compare(a.Original, b.Original),
		cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Unit, b.Unit), slices.CompareFunc(a.Set, b.Set, compareAttributes))
}

// Use returns the verdict on a claim whose metric is about to get the name, or nil when the claim
// has to be made again. All claims of the batch must have been made.
func (c *Claims) Use(claim *Claim) *Verdict {
	v := claim.Verdict()
	if v == nil || !v.Granted || v.used || v.Target < 0 {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := claim.target; claim.Verdict() != nil && !t.decides(claim) {
		t.choose(claim)
		c.decide(t)
	}
	return claim.Verdict()
}

// Apart records that one resource and scope has gauges or summaries of several original names for one name. From
// now on only the best of these original names is granted.
func (c *Claims) Apart(claim *Claim) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if claim.Verdict() != nil {
		claim.target.apart = true
		c.decide(claim.target)
	}
}

// decide stores the verdict of every claim to a name. The caller holds the lock.
func (c *Claims) decide(t *target) {
	for _, claim := range t.claims {
		claim.verdict.Store(c.judge(t, claim))
	}
}

// judge compares a claim with the best one. The caller holds the lock.
func (c *Claims) judge(t *target, claim *Claim) *Verdict {
	if claim.Class == ClassKept {
		return &Verdict{Granted: true, Target: -1}
	}
	best := t.claims[0]
	v := &Verdict{Target: t.id}
	v.Granted = claim == best || claim.Class == best.Class && claim.Kind.Mergeable() && claim.Alike(best)
	switch {
	case claim.Class > ClassMetric:
		c.judgeCopy(t, claim, v)
	case claim.Kind.Additive():
		v.used = t.decides(claim)
		v.Shared = v.Granted && v.used && !t.isPlain(claim)
	default:
		v.used, v.Apart = true, t.apart
		v.Granted = v.Granted && (!t.apart || claim.Original == best.Original)
	}
	if v.Granted && claim.Unit != best.Unit {
		v.Unit = best.Unit
	}
	return v
}
