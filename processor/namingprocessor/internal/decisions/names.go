// SPDX-License-Identifier: Apache-2.0

// Package decisions decides about the names of one signal by the packs and by what came before: claims to one name, and
// the budget of span names. It caches the decisions.
package decisions

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/namecache"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/claims"
)

// maxClaims limits the claims to names.
const maxClaims = 1 << 14

// Names returns the decisions about names. It is safe for concurrent use.
type Names struct {
	namer      *naming.Namer
	claims     *claims.Claims
	budget     *spanBudget
	contexts   namecache.Cache[naming.Context, *naming.Context]
	owners     namecache.Cache[string, *naming.System]
	pages      namecache.Cache[page, *naming.System]
	metrics    namecache.Cache[MetricKey, *Metric]
	spans      namecache.Cache[spanKey, *Span]
	attributes namecache.Cache[attributeKey, *naming.AttributeDecision]
	starts     namecache.Cache[startKey, uint64] // of gauges that became counters
}

// startKey identifies a metric by what does not depend on packs.
type startKey struct{ service, scope, name string }

// Start returns the start time of a gauge that becomes a counter, which is the first that was given.
func (n *Names) Start(m *Metric, ctx *naming.Context, original string, first uint64) uint64 {
	if known := m.start.Load(); known != 0 {
		return known
	}
	key := startKey{ctx.Service, ctx.Scope, strings.Clone(original)}
	m.start.CompareAndSwap(0, n.starts.Put(key, len(key.service)+len(key.scope)+len(key.name), first))
	return m.start.Load()
}

// MetricKey holds everything that a metric's decision depends on.
type MetricKey struct {
	Context *naming.Context // from Names.Context, so equal contexts have the same pointer
	Name    string
	Kind    claims.Kind
	Unit    string
}

// Metric is a metric's decision and its claim to the decided name. The claim is nil if no other metric can
// want the name.
type Metric struct {
	naming.Decision
	start  atomic.Uint64 // of a gauge that becomes a counter, once known
	Copies []Copy
	claim  *claims.Claim
	kept   *claims.Claim // claims the name of a metric that keeps it in any case, against copies
}

// Verdict returns the outcome of the metric's claim to its name, or nil. All metrics of the batch must
// have been decided. A name that is kept needs none.
func (n *Names) Verdict(m *Metric) *claims.Verdict {
	if m.claim == nil || m.Keeps {
		return nil
	}
	return n.claims.Use(m.claim)
}

// Rival returns the number of the name that a gauge or a summary claims. It is not ok if it need not be
// compared with others: their points differ by values that were in their names, or they are apart already.
func (m *Metric) Rival() (target int, ok bool) {
	if m.claim == nil || m.Keeps || m.claim.Kind.Additive() || len(m.Attributes) > 0 {
		return 0, false
	}
	v := m.claim.Verdict()
	if v == nil || v.Apart || v.Target < 0 {
		return 0, false
	}
	return v.Target, true
}

// Rivals reports whether two metrics that claim a name have different originals, and could be one.
func (m *Metric) Rivals(o *Metric) bool {
	return m.claim.Original != o.claim.Original && m.claim.Alike(o.claim)
}

// Apart records that one resource and scope has the metric and another of its name, whose values do not add up.
func (n *Names) Apart(m *Metric) { n.claims.Apart(m.claim) }

// outdated reports whether the claim must be made again.
func (m *Metric) outdated() bool {
	return m.claim != nil && m.claim.Verdict() == nil || m.kept != nil && m.kept.Verdict() == nil ||
		slices.ContainsFunc(m.Copies, func(c Copy) bool { return c.outdated() })
}

// Span is a span's decision. It holds for one period of the budget.
type Span struct {
	naming.Decision
	period uint64
}

type spanKey struct {
	context *naming.Context
	facts   naming.Facts
	name    string
}

type attributeKey struct {
	owner *naming.System
	key   string
}

// New returns empty Names.
func New(namer *naming.Namer, maxNames int) *Names {
	return newNames(namer, newBudget(maxNames), namecache.New[startKey, uint64]())
}

// Replace returns Names by other packs. What was decided before is not decided anew: which names of spans are in use,
// and when gauges that became counters have started.
func (n *Names) Replace(namer *naming.Namer) *Names {
	return newNames(namer, n.budget, n.starts)
}

func newNames(namer *naming.Namer, budget *spanBudget, starts namecache.Cache[startKey, uint64]) *Names {
	return &Names{
		namer:      namer,
		claims:     claims.New(maxClaims),
		budget:     budget,
		starts:     starts,
		contexts:   namecache.New[naming.Context, *naming.Context](),
		owners:     namecache.New[string, *naming.System](),
		pages:      namecache.New[page, *naming.System](),
		metrics:    namecache.New[MetricKey, *Metric](),
		spans:      namecache.New[spanKey, *Span](),
		attributes: namecache.New[attributeKey, *naming.AttributeDecision](),
	}
}

// Period returns the current period of the span name budget.
func (n *Names) Period() uint64 { return n.budget.Period() }

// Context returns the shared pointer for equal contexts.
func (n *Names) Context(ctx naming.Context) *naming.Context {
	if known, ok := n.contexts.Get(ctx); ok {
		return known
	}
	if len(ctx.Scope)+len(ctx.Service) > naming.MaxName {
		// Such a long scope name is unusual. Its beginning is enough to tell scopes apart.
		ctx.Scope = naming.Beginning(ctx.Scope, naming.MaxName/2)
		ctx.Service = naming.Beginning(ctx.Service, naming.MaxName/2)
		return n.Context(ctx)
	}
	ctx.Scope, ctx.Service = strings.Clone(ctx.Scope), strings.Clone(ctx.Service)
	return n.contexts.Put(ctx, len(ctx.Scope)+len(ctx.Service), &ctx)
}

// page identifies a scraped page.
type page struct {
	context  *naming.Context
	instance string
}

// Page returns the context of a scraped page. A page that no resource or scope gives an owner belongs as a
// whole to the system that naming.Namer.PageOwner finds. The first page for which that is decided decides for
// the following ones. A metric of another system, which may come later, still belongs to that one.
func (n *Names) Page(ctx *naming.Context, instance string, metrics iter.Seq[string]) *naming.Context {
	key := page{ctx, naming.Beginning(instance, naming.MaxName)}
	owner, ok := n.pages.Get(key)
	if !ok {
		if owner, ok = n.namer.PageOwner(metrics, n.owner); !ok {
			return ctx
		}
		key.instance = strings.Clone(key.instance)
		owner = n.pages.Put(key, len(key.instance), owner)
	}
	if owner == nil {
		return ctx
	}
	return n.Context(naming.Context{Owner: owner, Scope: ctx.Scope, Service: ctx.Service, Page: true})
}

// owner returns the system that owns metrics of a name, or nil.
func (n *Names) owner(name string) *naming.System {
	return namecache.ByText(n.owners, name, n.namer.MetricOwner)
}

// Metric decides a metric's name. The caller has already shortened its name and unit.
func (n *Names) Metric(key MetricKey) *Metric {
	known, ok := n.metrics.Get(key)
	if ok && !known.outdated() {
		return known
	}
	key.Name, key.Unit = strings.Clone(key.Name), strings.Clone(key.Unit)
	owner := key.Context.Owner
	if key.Context.Page {
		owner = cmp.Or(n.owner(key.Name), owner)
	}
	decision := &Metric{Decision: n.namer.Metric(owner, key.Name)}
	kind, unit := key.Kind, key.Unit
	if ucum, ok := n.namer.Unit(decision.System, unit); ok {
		unit = ucum
	}
	for _, rule := range decision.Repairs {
		kind, unit = repaired(rule, kind, unit)
	}
	decision.claim = n.claim(key, &decision.Decision, kind, unit)
	if decision.claim == nil && kind != claims.KindNone && n.namer.Competes(decision.System, decision.Name) {
		decision.kept = n.claims.Keep(*key.Context, decision.Name, kind, unit)
	}
	decision.Copies = n.copiesOf(key, &decision.Decision, kind, unit)
	if ok {
		decision.start.Store(known.start.Load())
		n.metrics.Replace(key, len(key.Name)+len(key.Unit), decision)
		return decision
	}
	return n.metrics.Put(key, len(key.Name)+len(key.Unit), decision)
}

// claim returns the claim of a metric of a kind and unit to the decided name. It is nil if no other metric
// can want the name.
func (n *Names) claim(key MetricKey, d *naming.Decision, kind claims.Kind, unit string) *claims.Claim {
	switch {
	case key.Kind == claims.KindNone:
		return nil
	case d.Keeps:
		if n.namer.CanBeConformant(d.Name) {
			return n.claims.Keep(*key.Context, d.Name, kind, unit)
		}
		return nil
	case d.Rule == naming.Conformant || d.Changed():
		return n.claims.Claim(*key.Context, d.Name, key.Name, kind, unit)
	}
	return nil
}

// Span decides a span's name for a period of the budget. Facts are those that the decision asks for, or
// all that naming.AsksOf asks for. A name with values in it is unlikely to repeat, so its decision is not
// cached.
func (n *Names) Span(ctx *naming.Context, facts naming.Facts, name string, period uint64) *Span {
	if known := n.KnownSpan(ctx, facts, name, period); known != nil {
		return known
	}
	remembered := len(name)+len(facts.Attribute) <= naming.MaxName
	if remembered {
		facts.Attribute, name = strings.Clone(facts.Attribute), strings.Clone(name)
	}
	decision := &Span{Decision: n.namer.Span(*ctx, facts, name), period: period}
	decision.Fold(func(component, operation string) (admitted, known bool) {
		return n.budget.Admit(ctx.Service, component, operation)
	})
	if remembered && decision.Attributes == nil && decision.IDs == nil && decision.Rule != naming.SpanRoute {
		if decision.Asks == (naming.Asks{}) {
			facts = naming.Facts{}
		}
		n.spans.Replace(spanKey{ctx, facts, name}, len(name)+len(facts.Attribute), decision)
	}
	return decision
}

// KnownSpan returns the cached decision of Span, or nil.
func (n *Names) KnownSpan(ctx *naming.Context, facts naming.Facts, name string, period uint64) *Span {
	if known, ok := n.spans.Get(spanKey{ctx, facts, name}); ok && known.period == period {
		return known
	}
	return nil
}

// Attribute decides about an attribute's key and values. It returns nil if nothing has to change.
func (n *Names) Attribute(owner *naming.System, key string) *naming.AttributeDecision {
	if known, ok := n.attributes.Get(attributeKey{owner, key}); ok {
		return known
	}
	if len(key) > naming.MaxName {
		return n.namer.Attribute(owner, key)
	}
	key = strings.Clone(key)
	return n.attributes.Put(attributeKey{owner, key}, len(key), n.namer.Attribute(owner, key))
}

// repaired returns the kind and the unit of a metric after its pack's rule. It must agree with
// walk.repair.
func repaired(rule *conventions.MetricRule, kind claims.Kind, unit string) (claims.Kind, string) {
	if rule.Type == conventions.TypeCounter && kind == claims.KindGauge {
		kind = claims.KindCumulativeCounter
	}
	from := rule.Stated(unit)
	if _, ok := conventions.Convert(from, rule.Convert); ok && kind.Convertible() {
		return kind, rule.Convert
	}
	return kind, from
}
