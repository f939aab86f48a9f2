package namingprocessor

import (
	"strings"
	"sync/atomic"

	"github.com/puzpuzpuz/xsync/v4"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/budget"
)

// maxDecisions bounds each cache. A program has hundreds of names, so a full
// cache means that somebody sends values as names.
const maxDecisions = 1 << 14

// maxCachedName is the longest name that is remembered, which bounds a cache in
// bytes as well.
const maxCachedName = naming.MaxName

// cache remembers what was decided for a key. When it is full it starts anew:
// names in use come back at the cost of one decision each, and no stream of
// names makes it grow. It is safe for concurrent use.
type cache[K comparable, V any] struct {
	entries *xsync.Map[K, V]
	cleared *atomic.Uint64 // how often it started anew
}

func newCache[K comparable, V any]() cache[K, V] {
	return cache[K, V]{entries: xsync.NewMap[K, V](), cleared: new(atomic.Uint64)}
}

func (c cache[K, V]) get(key K) (V, bool) { return c.entries.Load(key) }

// put remembers a value, or returns that which another has just put. The key must
// not share memory with telemetry.
func (c cache[K, V]) put(key K, value V) V {
	c.makeRoom()
	value, _ = c.entries.LoadOrStore(key, value)
	return value
}

// replace remembers a value in the place of what is remembered, under the same rule.
func (c cache[K, V]) replace(key K, value V) {
	c.makeRoom()
	c.entries.Store(key, value)
}

func (c cache[K, V]) makeRoom() {
	if c.entries.Size() >= maxDecisions {
		c.entries.Clear()
		c.cleared.Add(1)
	}
}

// decisions answers from memory what a name should be.
type decisions struct {
	namer      *naming.Namer
	explain    *explain
	claims     *naming.Claims
	budget     *budget.Budget
	contexts   cache[naming.Context, *naming.Context]
	metrics    cache[metricKey, *metricDecision]
	spans      cache[spanKey, *spanDecision]
	attributes cache[attributeKey, *naming.AttributeDecision]
}

type metricKey struct {
	context *naming.Context // from decisions.context, so equal contexts are one pointer
	name    string
	kind    naming.Kind
	unit    string
}

// metricDecision is a metric's decision and its claim to the decided name; no
// claim where the name is nothing to compete for.
type metricDecision struct {
	naming.Decision
	start atomic.Uint64 // of a gauge that is a counter, once known
	claim *naming.Claim
	// The rows of what came of the decision, once it did.
	explain, collision, prometheusCollision atomic.Pointer[explanation]
}

// outdated reports whether the claim has to be made again.
func (d *metricDecision) outdated() bool { return d.claim != nil && d.claim.Verdict() == nil }

// applied counts a metric whose decision was applied.
func (d *decisions) applied(m *metricDecision, ctx *naming.Context, original string) {
	if m.explain.Load().gone() {
		m.explain.Store(d.explain.decided(ctx.Service, original, &m.Decision))
	}
	m.explain.Load().seen(1)
}

// collided counts a metric whose claim to its name met another's. Name is the one
// that it goes out with.
func (d *decisions) collided(m *metricDecision, rule naming.Rule, ctx *naming.Context, original, name string) {
	row := &m.collision
	if rule == naming.PrometheusCollision {
		row = &m.prometheusCollision
	}
	if row.Load().gone() {
		row.Store(d.explain.row(explanationKey{ctx.Service, original, name, rule}, original, m.System))
	}
	row.Load().seen(1)
}

// spanDecision is a span's decision. It holds for one period of the budget.
type spanDecision struct {
	naming.Decision
	period  uint64
	explain *explanation
}

type spanKey struct {
	context    *naming.Context
	rpcService string
	name       string
}

type attributeKey struct {
	owner *naming.System
	key   string
}

func newDecisions(namer *naming.Namer, explain *explain, maxNames int) *decisions {
	return &decisions{
		namer:      namer,
		explain:    explain,
		claims:     naming.NewClaims(maxDecisions),
		budget:     budget.New(maxNames),
		contexts:   newCache[naming.Context, *naming.Context](),
		metrics:    newCache[metricKey, *metricDecision](),
		spans:      newCache[spanKey, *spanDecision](),
		attributes: newCache[attributeKey, *naming.AttributeDecision](),
	}
}

// context returns the one pointer for a context.
func (d *decisions) context(ctx naming.Context) *naming.Context {
	if known, ok := d.contexts.get(ctx); ok {
		return known
	}
	if len(ctx.Scope)+len(ctx.Service) > maxCachedName {
		// Nobody's usual name: told apart by its beginning.
		ctx.Scope = naming.Beginning(ctx.Scope, maxCachedName/2)
		ctx.Service = naming.Beginning(ctx.Service, maxCachedName/2)
		return d.context(ctx)
	}
	ctx.Scope, ctx.Service = strings.Clone(ctx.Scope), strings.Clone(ctx.Service)
	return d.contexts.put(ctx, &ctx)
}

// metric decides a metric's name. Its name and unit are not too long.
func (d *decisions) metric(key metricKey) *metricDecision {
	known, ok := d.metrics.get(key)
	if ok && !known.outdated() {
		return known
	}
	key.name, key.unit = strings.Clone(key.name), strings.Clone(key.unit)
	decision := &metricDecision{Decision: d.namer.Metric(key.context.Owner, key.name)}
	kind, unit := key.kind, key.unit
	if ucum, ok := d.namer.Unit(decision.System, unit); ok {
		unit = ucum
	}
	for _, rule := range decision.Repairs {
		kind, unit = repaired(rule, kind, unit)
	}
	if key.kind != naming.KindNone && (decision.Rule == naming.Conformant || decision.Changed()) {
		decision.claim = d.claims.Claim(*key.context, decision.Name, key.name, kind, unit)
	}
	if ok {
		decision.start.Store(known.start.Load())
		d.metrics.replace(key, decision)
		return decision
	}
	return d.metrics.put(key, decision)
}

// span decides a span's name in a period of the budget. A name with values in it is
// unlikely to come again, so its decision is not remembered.
func (d *decisions) span(ctx *naming.Context, rpcService, name string, period uint64) *spanDecision {
	if known, ok := d.spans.get(spanKey{ctx, rpcService, name}); ok && known.period == period {
		return known
	}
	remembered := len(name)+len(rpcService) <= maxCachedName
	if remembered {
		rpcService, name = strings.Clone(rpcService), strings.Clone(name)
	}
	decision := &spanDecision{Decision: d.namer.Span(*ctx, rpcService, name), period: period}
	decision.Fold(func(component, operation string) (admitted, known bool) {
		return d.budget.Admit(ctx.Service, component, operation)
	})
	decision.explain = d.explain.decided(ctx.Service, name, &decision.Decision)
	if remembered && decision.Attributes == nil && decision.IDs == nil {
		d.spans.replace(spanKey{ctx, rpcService, name}, decision)
	}
	return decision
}

// attribute decides what becomes of a key and its values; nil where there is
// nothing to do.
func (d *decisions) attribute(owner *naming.System, key string) *naming.AttributeDecision {
	if known, ok := d.attributes.get(attributeKey{owner, key}); ok {
		return known
	}
	if len(key) > maxCachedName {
		return d.namer.Attribute(owner, key)
	}
	key = strings.Clone(key)
	return d.attributes.put(attributeKey{owner, key}, d.namer.Attribute(owner, key))
}
