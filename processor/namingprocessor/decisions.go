package namingprocessor

import (
	"strings"

	"github.com/puzpuzpuz/xsync/v4"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// maxDecisions bounds each cache. A program has hundreds of names, so a full
// cache means that somebody sends values as names.
const maxDecisions = 1 << 14

// maxCachedName is the longest name that is remembered, which bounds a cache in
// bytes as well.
const maxCachedName = 512

// cache remembers what was decided for a key. When it is full it starts anew:
// names in use come back at the cost of one decision each, and no stream of
// names makes it grow. It is safe for concurrent use.
type cache[K comparable, V any] struct {
	entries *xsync.Map[K, V]
}

func newCache[K comparable, V any]() cache[K, V] {
	return cache[K, V]{entries: xsync.NewMap[K, V]()}
}

func (c cache[K, V]) get(key K) (V, bool) { return c.entries.Load(key) }

// put remembers a value. The key must not share memory with telemetry.
func (c cache[K, V]) put(key K, value V) {
	if c.entries.Size() >= maxDecisions {
		c.entries.Clear()
	}
	c.entries.Store(key, value)
}

// decisions answers from memory what a name should be.
type decisions struct {
	namer    *naming.Namer
	contexts cache[naming.SpanContext, *naming.SpanContext]
	metrics  cache[metricKey, *naming.Decision]
	spans    cache[spanKey, *naming.Decision]
	forms    cache[string, string]
}

type metricKey struct {
	owner *naming.System
	name  string
}

type spanKey struct {
	context    *naming.SpanContext // from decisions.context, so equal contexts are one pointer
	rpcService string
	name       string
}

func newDecisions(namer *naming.Namer) *decisions {
	return &decisions{
		namer:    namer,
		contexts: newCache[naming.SpanContext, *naming.SpanContext](),
		metrics:  newCache[metricKey, *naming.Decision](),
		spans:    newCache[spanKey, *naming.Decision](),
		forms:    newCache[string, string](),
	}
}

// metric decides a metric's name.
func (d *decisions) metric(owner *naming.System, name string) *naming.Decision {
	if known, ok := d.metrics.get(metricKey{owner, name}); ok {
		return known
	}
	name = strings.Clone(name)
	decision := d.namer.Metric(owner, name)
	if len(name) <= maxCachedName {
		d.metrics.put(metricKey{owner, name}, &decision)
	}
	return &decision
}

// context returns the one pointer for a span context.
func (d *decisions) context(ctx naming.SpanContext) *naming.SpanContext {
	if known, ok := d.contexts.get(ctx); ok {
		return known
	}
	ctx.Scope, ctx.Service = strings.Clone(ctx.Scope), strings.Clone(ctx.Service)
	if len(ctx.Scope)+len(ctx.Service) <= maxCachedName {
		d.contexts.put(ctx, &ctx)
	}
	return &ctx
}

// span decides a span's name. A name with values in it is unlikely to come
// again, so its decision is not remembered.
func (d *decisions) span(ctx *naming.SpanContext, rpcService, name string) *naming.Decision {
	if known, ok := d.spans.get(spanKey{ctx, rpcService, name}); ok {
		return known
	}
	rpcService, name = strings.Clone(rpcService), strings.Clone(name)
	decision := d.namer.Span(*ctx, rpcService, name)
	if len(name)+len(rpcService) <= maxCachedName && decision.Attributes == nil && decision.IDs == nil {
		d.spans.put(spanKey{ctx, rpcService, name}, &decision)
	}
	return &decision
}

// form brings a tc.* key to its form, or returns "".
func (d *decisions) form(key string) string {
	if known, ok := d.forms.get(key); ok {
		return known
	}
	key = strings.Clone(key)
	form := naming.AttributeForm(key)
	if len(key) <= maxCachedName {
		d.forms.put(key, form)
	}
	return form
}
