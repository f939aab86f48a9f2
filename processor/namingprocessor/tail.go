package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/tailstage"
)

// sample is some items of a batch, as they came, for a person who watches their service. It is nil while nobody
// watches.
type sample []sampled

// sampled is an item, with its place among the resources of the same mode: audit.Traces and the others process
// those of each mode apart, in their order.
type sampled struct {
	*tailstage.Shown
	audited               bool
	resource, scope, item int
}

// maxSampled is how many items of a resource are sampled, so that those of one second are not all of one batch.
const maxSampled = 4

// batch is a batch of any signal.
type batch interface {
	resources() int
	resource(i int) pcommon.Resource
	scopes(resource int) int
	scope(resource, scope int) pcommon.InstrumentationScope
	items(resource, scope int) int
	look(resource, scope, item int) tailstage.Look
}

// sampleOf returns items of the services that somebody watches, spread over each resource. It is generic because
// a batch as an interface would be an allocation for each batch.
func sampleOf[B batch](p *namingProcessor, b B) (all sample) {
	if !p.tail.Watched() {
		return nil
	}
	places := map[bool]int{} // the resources of each mode
	for r := range b.resources() {
		resource := b.resource(r)
		audited := p.policy.Audit(attributes.Text(resource.Attributes(), serviceNameKey))
		place := places[audited]
		places[audited]++
		items := 0
		for s := range b.scopes(r) {
			items += b.items(r, s)
		}
		n := p.tail.Take(resource.Attributes(), min(items, maxSampled))
		for i := range n {
			s, item := 0, i*items/n
			for ; item >= b.items(r, s); s++ {
				item -= b.items(r, s)
			}
			all = append(all, sampled{p.tail.Begin(resource, b.scope(r, s), b.look(r, s, item)), audited, place, s, item})
		}
	}
	return all
}

// find finds the items of one mode in a part of the batch before it is processed. Their places are those of the
// batch, unless the name of the service was a secret, which was replaced since.
func find[B batch](all sample, part B, audited bool) (found sample) {
	for _, one := range all {
		if one.audited == audited && one.resource < part.resources() &&
			attributes.Text(part.resource(one.resource).Attributes(), serviceNameKey) == one.Service {
			one.Move(part.look(one.resource, one.scope, one.item))
			found = append(found, one)
		}
	}
	return found
}

// done shows items of one mode after their part was processed.
func (s sample) done(audited bool) {
	for _, one := range s {
		one.Done(audited)
	}
}

type spans struct{ ptrace.Traces }

func (b spans) at(r, s int) ptrace.ScopeSpans   { return b.ResourceSpans().At(r).ScopeSpans().At(s) }
func (b spans) resources() int                  { return b.ResourceSpans().Len() }
func (b spans) resource(r int) pcommon.Resource { return b.ResourceSpans().At(r).Resource() }
func (b spans) scopes(r int) int                { return b.ResourceSpans().At(r).ScopeSpans().Len() }
func (b spans) items(r, s int) int              { return b.at(r, s).Spans().Len() }

func (b spans) scope(r, s int) pcommon.InstrumentationScope { return b.at(r, s).Scope() }

func (b spans) look(r, s, i int) tailstage.Look {
	return tailstage.Span(b.resource(r), b.at(r, s).Spans().At(i))
}

type metrics struct{ pmetric.Metrics }

func (b metrics) at(r, s int) pmetric.ScopeMetrics {
	return b.ResourceMetrics().At(r).ScopeMetrics().At(s)
}
func (b metrics) resources() int                  { return b.ResourceMetrics().Len() }
func (b metrics) resource(r int) pcommon.Resource { return b.ResourceMetrics().At(r).Resource() }
func (b metrics) scopes(r int) int                { return b.ResourceMetrics().At(r).ScopeMetrics().Len() }
func (b metrics) items(r, s int) int              { return b.at(r, s).Metrics().Len() }

func (b metrics) scope(r, s int) pcommon.InstrumentationScope { return b.at(r, s).Scope() }

func (b metrics) look(r, s, i int) tailstage.Look {
	all := b.at(r, s).Metrics()
	return tailstage.Metric(b.resource(r), all, all.At(i))
}

type records struct{ plog.Logs }

func (b records) at(r, s int) plog.ScopeLogs      { return b.ResourceLogs().At(r).ScopeLogs().At(s) }
func (b records) resources() int                  { return b.ResourceLogs().Len() }
func (b records) resource(r int) pcommon.Resource { return b.ResourceLogs().At(r).Resource() }
func (b records) scopes(r int) int                { return b.ResourceLogs().At(r).ScopeLogs().Len() }
func (b records) items(r, s int) int              { return b.at(r, s).LogRecords().Len() }

func (b records) scope(r, s int) pcommon.InstrumentationScope { return b.at(r, s).Scope() }

func (b records) look(r, s, i int) tailstage.Look {
	return tailstage.Log(b.resource(r), b.at(r, s).LogRecords().At(i))
}
