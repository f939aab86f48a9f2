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

// Kind is the kind of a metric, as far as kinds cannot be mixed under one name.
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
	// The kinds without a temporality. Nothing says whether two of them count alike.
	KindUnspecifiedCounter
	KindUnspecifiedUpDown
	KindUnspecifiedHistogram
	KindUnspecifiedExponential
)

// Mergeable reports whether two metrics of this kind are alike, so that they can be
// one metric: they have points of a known type and, where it matters, a temporality.
func (k Kind) Mergeable() bool { return KindNone < k && k < KindUnspecifiedCounter }

// Convertible reports whether a unit conversion keeps a metric exact: the bounds of
// exponential buckets cannot be moved.
func (k Kind) Convertible() bool {
	return k != KindCumulativeExponential && k != KindDeltaExponential && k != KindUnspecifiedExponential
}

// Claim is one metric's claim to a conformant name: where it comes from, its
// original name, its kind and its unit.
type Claim struct {
	Original string
	Kind     Kind
	Unit     string

	verdict atomic.Pointer[Verdict]
}

// Verdict is what comes of a claim.
type Verdict struct {
	// Granted tells whether the metric may have the conformant name.
	Granted bool
	// Target identifies the name among all of a Claims: metrics of one scope
	// that are granted the same target are one metric.
	Target int
	// Unit is what the values have to be converted to, or empty.
	Unit string
	// Prometheus tells that another name is the same after Prometheus export.
	Prometheus bool
}

// Verdict returns the decision on the claim, or nil when the claim has to be made again. It
// changes only when a better claim to the same name is made or withdrawn.
func (c *Claim) Verdict() *Verdict { return c.verdict.Load() }

// Claims decides which metrics may have which conformant name. The claims to one
// name are ranked by what they say, never by when they came: the name as it was
// sent before a changed one, then by original name, kind and unit. The best claim
// has the name; others of its kind join it, with their values converted where
// units differ; those of another kind, or of one that cannot be merged, keep their
// original names. So the outcome is the same for every order of arrival, and stays.
//
// Claims is safe for concurrent use. It holds a bounded number of claims, shared fairly
// between services, and maxRivals to one name. A claim for which there is no room is
// granted without being compared. A claim that a service had to give up loses its verdict,
// and has to be made again.
type Claims struct {
	mu       sync.Mutex
	claims   *fairshare.Table[*Claim, *target]
	bereft   map[*target]bool // lost a claim; their rivals have no new verdicts yet
	targets  map[targetKey]*target
	nextID   int
	families map[targetKey][]*target // by name after Prometheus export
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
}

// NewClaims returns a Claims of at most so many claims.
func NewClaims(most int) *Claims {
	c := &Claims{bereft: map[*target]bool{}, targets: map[targetKey]*target{}, families: map[targetKey][]*target{}}
	c.claims = fairshare.New(fairshare.Limits{Entries: most, Service: most, Services: max(1, most/claimsOfService)}, c.forgot)
	return c
}

// claimsOfService is how many claims each service is sure of.
const claimsOfService = 16

// forgot withdraws a claim that is no longer held. Called with the lock held.
func (c *Claims) forgot(claim *Claim, t *target) {
	i, _ := slices.BinarySearchFunc(t.claims, claim, t.rank)
	t.claims = slices.Delete(t.claims, i, i+1)
	claim.verdict.Store(nil)
	c.bereft[t] = true
}

// settleBereft gives the rivals of claims that were forgotten their verdicts. Called with
// the lock held.
func (c *Claims) settleBereft() {
	for t := range c.bereft {
		if len(t.claims) > 0 {
			c.export(t)
			c.settle(t)
			continue
		}
		c.unexport(t)
		delete(c.targets, targetKey{t.context, t.name})
	}
	clear(c.bereft)
}

// Claim returns the claim of a metric of one context to a conformant name. Equal
// claims are one.
func (c *Claims) Claim(ctx Context, name, original string, kind Kind, unit string) *Claim {
	c.mu.Lock()
	defer c.mu.Unlock()
	claim := &Claim{Original: original, Kind: kind, Unit: unit}
	key := targetKey{ctx, strings.ToLower(name)}
	t := c.targets[key]
	if t != nil {
		if i, ok := slices.BinarySearchFunc(t.claims, claim, t.rank); ok {
			c.claims.Get(ctx.Service, t.claims[i]) // seen again
			return t.claims[i]
		}
	} else {
		t = &target{id: c.nextID, name: key.name, context: ctx}
	}
	defer c.settleBereft()
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
		c.settle(t)
	} else {
		claim.verdict.Store(c.judge(t, claim))
	}
	return claim
}

// maxRivals bounds the claims to one name, and with them the time that a new best
// claim takes to settle the others. There are 15 kinds, a few spellings and a few
// units; only an attack has more.
const maxRivals = 256

// rank orders the claims to one name.
func (t *target) rank(a, b *Claim) int {
	changed := func(c *Claim) int {
		if c.Original == t.name {
			return 0
		}
		return 1
	}
	return cmp.Or(changed(a)-changed(b), strings.Compare(a.Original, b.Original),
		cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Unit, b.Unit))
}

// settle gives every claim to a name its verdict. Called with the lock held.
func (c *Claims) settle(t *target) {
	for _, claim := range t.claims {
		claim.verdict.Store(c.judge(t, claim))
	}
}

// judge compares a claim with the best one. Called with the lock held.
func (c *Claims) judge(t *target, claim *Claim) *Verdict {
	best := t.claims[0]
	v := &Verdict{Target: t.id}
	if claim == best || claim.Kind == best.Kind && claim.Kind.Mergeable() {
		_, convertible := conventions.Convert(claim.Unit, best.Unit)
		switch {
		case claim.Unit == best.Unit:
			v.Granted = true
		case convertible && claim.Kind.Convertible():
			v.Granted, v.Unit = true, best.Unit
		}
	}
	if v.Granted {
		v.Prometheus = slices.ContainsFunc(t.exported, func(name string) bool {
			return len(c.families[targetKey{t.context, name}]) > 1
		})
	} else {
		// Its own name can still be the winner's after export: tc.foo and tc_foo.
		v.Prometheus = slices.ContainsFunc(exportedNames(claim.Original, claim), func(name string) bool {
			return slices.Contains(t.exported, name)
		})
	}
	return v
}

// export notes the names that a target has after Prometheus export, and settles
// anew who is no longer alone with one, or is again. Called with the lock held.
func (c *Claims) export(t *target) {
	c.unexport(t)
	t.exported = exportedNames(t.name, t.claims[0])
	for _, name := range t.exported {
		key := targetKey{t.context, name}
		c.families[key] = append(c.families[key], t)
		if len(c.families[key]) == 2 { // no longer alone
			c.settle(c.families[key][0])
		}
	}
}

// unexport takes the names back that a target has after Prometheus export.
func (c *Claims) unexport(t *target) {
	for _, name := range t.exported {
		key := targetKey{t.context, name}
		others := slices.DeleteFunc(c.families[key], func(o *target) bool { return o == t })
		if len(others) == 0 {
			delete(c.families, key)
			continue
		}
		c.families[key] = others
		if len(others) == 1 { // alone again
			c.settle(others[0])
		}
	}
	t.exported = nil
}

// exportedNames are the names of a metric's series after Prometheus export.
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
	family, err := namer.Build(otlptranslator.Metric{Name: name, Unit: claim.Unit, Type: kind})
	if err != nil {
		return nil // a name that Prometheus cannot have is no rival there
	}
	switch claim.Kind {
	case KindCumulativeHistogram, KindDeltaHistogram, KindUnspecifiedHistogram:
		return []string{family, family + "_count", family + "_sum", family + "_bucket"}
	case KindSummary:
		return []string{family, family + "_count", family + "_sum"}
	}
	return []string{family}
}
