package naming

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/prometheus/otlptranslator"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/fairshare"
)

// Kind is the kind of a metric. Metrics of different kinds cannot share a name.
type Kind uint8

// The kinds, by data point type, temporality and monotonicity.
const (
	// KindNone is a metric without data or without points.
	KindNone Kind = iota
	KindGauge
	KindCumulativeCounter
	KindDeltaCounter
	KindCumulativeUpDown
	KindDeltaUpDown
	KindCumulativeHistogram
	KindDeltaHistogram
	KindCumulativeExponential
	KindDeltaExponential
	KindSummary
	// The kinds with unspecified temporality. It is unknown whether two such metrics can be
	// merged.
	KindUnspecifiedCounter
	KindUnspecifiedUpDown
	KindUnspecifiedHistogram
	KindUnspecifiedExponential
)

// Mergeable reports whether two metrics of this kind can become one metric. They need points of
// a known type and, except for gauges and summaries, a known temporality.
func (k Kind) Mergeable() bool { return KindNone < k && k < KindUnspecifiedCounter }

// Additive reports whether values of two metrics of this kind can be added up. Those of gauges
// and summaries cannot.
func (k Kind) Additive() bool { return k != KindGauge && k != KindSummary }

// Convertible reports whether a unit conversion keeps a metric exact. It does not for
// exponential histograms, whose bounds cannot be moved.
func (k Kind) Convertible() bool {
	return k != KindCumulativeExponential && k != KindDeltaExponential && k != KindUnspecifiedExponential
}

// Claim is the claim of one metric to a conformant name.
type Claim struct {
	Original string
	Kind     Kind
	Unit     string

	kept    bool // see Claims.Keep
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
	// Prometheus reports whether another name is the same after export to Prometheus.
	Prometheus bool
}

// Verdict returns the decision on the claim, or nil when the claim has to be made again. It
// changes only when a better claim to the same name is made or withdrawn.
func (c *Claim) Verdict() *Verdict { return c.verdict.Load() }

// Claims decides which metrics may have which conformant name. The claims to one name are
// ranked by their content, never by their arrival: an unchanged name comes before a changed
// one, then original name, kind and unit decide. The result is therefore the same for every
// order of arrival.
//
// The best claim has the name. Claims of the same kind share it, and their values are converted
// where units differ. Claims of another kind, and of kinds that cannot be merged, keep their
// original names.
//
// Counters and histograms of one name add up, so the points of all original names but one have
// it as an attribute. That one is the best of the batch that first uses the name, and stays so:
// its series would change otherwise. Gauges do not add up. Once two have points with equal
// attributes at overlapping times, all but the best original name keep their names.
//
// Claims is safe for concurrent use. It holds a bounded number of claims, shared fairly between
// services, and at most maxRivals claims to one name. A claim for which there is no room is
// granted without a comparison. A claim that a service loses to another service has no verdict
// anymore, and has to be made again.
type Claims struct {
	mu         sync.Mutex
	claims     *fairshare.Table[*Claim, *target]
	changed    map[*target]bool // lost a claim, and need new verdicts
	targets    map[targetKey]*target
	nextID     int
	byExported map[targetKey][]*target // by name after export to Prometheus
}

type targetKey struct {
	context Context
	name    string
}

type target struct {
	id       int
	name     string
	context  Context
	claims   []*Claim // ranked
	exported []string
	plain    string // the original name whose points do not need OriginalNameKey, once used
	of       Kind   // of plain
	apart    bool   // gauges and summaries of other original names cannot have the name
}

// NewClaims returns a Claims that holds at most that many claims.
func NewClaims(most int) *Claims {
	c := &Claims{changed: map[*target]bool{}, targets: map[targetKey]*target{}, byExported: map[targetKey][]*target{}}
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
			c.export(t)
			c.decide(t)
			continue
		}
		c.unexport(t)
		delete(c.targets, targetKey{t.context, t.name})
	}
	clear(c.changed)
}

// Claim returns the claim of a metric of one context to a conformant name. Equal claims share
// one Claim.
func (c *Claims) Claim(ctx Context, name, original string, kind Kind, unit string) *Claim {
	return c.claim(ctx, name, &Claim{Original: original, Kind: kind, Unit: unit})
}

// Keep returns the claim of a metric that keeps its name, whoever else claims it. It is the best
// claim, and shares the name with no other one.
func (c *Claims) Keep(ctx Context, name string, kind Kind, unit string) *Claim {
	return c.claim(ctx, name, &Claim{Original: name, Kind: kind, Unit: unit, kept: true})
}

func (c *Claims) claim(ctx Context, name string, claim *Claim) *Claim {
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
	if i == 0 {
		c.export(t)
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
		switch {
		case c.kept:
			return 0
		case c.Original == t.name:
			return 1
		}
		return 2
	}
	return cmp.Or(changed(a)-changed(b), strings.Compare(a.Original, b.Original),
		cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Unit, b.Unit))
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
	if t := claim.target; claim.Verdict() != nil && !t.hasPlain() {
		t.plain, t.of = t.claims[0].Original, t.claims[0].Kind
		c.decide(t)
	}
	return claim.Verdict()
}

// hasPlain reports whether plain is decided for metrics of the best claim's kind.
func (t *target) hasPlain() bool { return t.plain != "" && t.of == t.claims[0].Kind }

// Apart records that gauges or summaries of several original names have points with equal
// attributes at overlapping times. From now on only the best of these names is granted.
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
	if claim.kept {
		return &Verdict{Granted: true, Target: -1}
	}
	best := t.claims[0]
	v := &Verdict{Target: t.id}
	v.Granted = claim == best || !best.kept && claim.Kind.Mergeable() && claim.Alike(best)
	if claim.Kind.Additive() {
		v.used = t.hasPlain()
		v.Shared = v.Granted && v.used && claim.Original != t.plain
	} else {
		v.used, v.Apart = true, t.apart
		v.Granted = v.Granted && (!t.apart || claim.Original == best.Original)
	}
	if v.Granted && claim.Unit != best.Unit {
		v.Unit = best.Unit
	}
	if v.Granted {
		v.Prometheus = slices.ContainsFunc(t.exported, func(name string) bool {
			return len(c.byExported[targetKey{t.context, name}]) > 1
		})
	} else {
		// After export, its own name can still be the best claim's: tc.foo and tc_foo.
		v.Prometheus = slices.ContainsFunc(exportedNames(claim.Original, claim), func(name string) bool {
			return slices.Contains(t.exported, name)
		})
	}
	return v
}

// export stores the names that a target has after export to Prometheus. It decides again on
// targets that now share such a name, or no longer do. The caller holds the lock.
func (c *Claims) export(t *target) {
	c.unexport(t)
	t.exported = exportedNames(t.name, t.claims[0])
	for _, name := range t.exported {
		key := targetKey{t.context, name}
		c.byExported[key] = append(c.byExported[key], t)
		if len(c.byExported[key]) == 2 { // that target shares the name now
			c.decide(c.byExported[key][0])
		}
	}
}

// unexport removes the names that a target has after export to Prometheus.
func (c *Claims) unexport(t *target) {
	for _, name := range t.exported {
		key := targetKey{t.context, name}
		rest := slices.DeleteFunc(c.byExported[key], func(o *target) bool { return o == t })
		if len(rest) == 0 {
			delete(c.byExported, key)
			continue
		}
		c.byExported[key] = rest
		if len(rest) == 1 { // that target no longer shares the name
			c.decide(rest[0])
		}
	}
	t.exported = nil
}

// exportedNames returns the names of a metric's series after export to Prometheus.
func exportedNames(name string, claim *Claim) []string {
	var kind otlptranslator.MetricType = otlptranslator.MetricTypeGauge
	switch claim.Kind {
	case KindCumulativeCounter, KindDeltaCounter, KindUnspecifiedCounter:
		kind = otlptranslator.MetricTypeMonotonicCounter
	case KindCumulativeUpDown, KindDeltaUpDown, KindUnspecifiedUpDown:
		kind = otlptranslator.MetricTypeNonMonotonicCounter
	case KindCumulativeHistogram, KindDeltaHistogram, KindUnspecifiedHistogram:
		kind = otlptranslator.MetricTypeHistogram
	case KindCumulativeExponential, KindDeltaExponential, KindUnspecifiedExponential:
		kind = otlptranslator.MetricTypeExponentialHistogram
	case KindSummary:
		kind = otlptranslator.MetricTypeSummary
	}
	namer := otlptranslator.NewMetricNamer("", otlptranslator.UnderscoreEscapingWithSuffixes)
	base, err := namer.Build(otlptranslator.Metric{Name: name, Unit: claim.Unit, Type: kind})
	if err != nil {
		return nil // Prometheus cannot have such a name, so it cannot collide
	}
	switch claim.Kind {
	case KindCumulativeHistogram, KindDeltaHistogram, KindUnspecifiedHistogram:
		return []string{base, base + "_count", base + "_sum", base + "_bucket"}
	case KindSummary:
		return []string{base, base + "_count", base + "_sum"}
	}
	return []string{base}
}
