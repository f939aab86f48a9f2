// SPDX-License-Identifier: Apache-2.0

package tailstage

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
)

// Sample is some items of a batch, as they came, of services that somebody watches. It is nil while nobody
// watches.
type Sample []sampled

// sampled is an item, with its place among the resources of the same mode: audit.Traces and the others process
// those of each mode apart, in their order.
type sampled struct {
	*Shown
	audited               bool
	resource, scope, item int
}

// maxSampled is how many items of a resource are sampled, so that those of one second are not all of one batch.
const maxSampled = 4

// SampleTraces samples spans, spread over each resource.
func (s *Stage) SampleTraces(td ptrace.Traces) Sample { return sampleOf(s, spans{td}) }

// SampleMetrics samples metrics, spread over each resource.
func (s *Stage) SampleMetrics(md pmetric.Metrics) Sample { return sampleOf(s, metrics{md}) }

// SampleLogs samples log records, spread over each resource.
func (s *Stage) SampleLogs(ld plog.Logs) Sample { return sampleOf(s, records{ld}) }

// FindTraces finds the items of one mode in a part of the batch before it is processed.
func (all Sample) FindTraces(part ptrace.Traces, audited bool) Sample {
	return find(all, spans{part}, audited)
}

// FindMetrics finds the items of one mode in a part of the batch before it is processed.
func (all Sample) FindMetrics(part pmetric.Metrics, audited bool) Sample {
	return find(all, metrics{part}, audited)
}

// FindLogs finds the items of one mode in a part of the batch before it is processed.
func (all Sample) FindLogs(part plog.Logs, audited bool) Sample {
	return find(all, records{part}, audited)
}

// Done shows the items that were found after their part was processed.
func (all Sample) Done() {
	for _, one := range all {
		one.Done(one.audited)
	}
}

// items is a batch of any signal.
type items interface {
	resources() int
	resource(i int) pcommon.Resource
	scopes(resource int) int
	scope(resource, scope int) pcommon.InstrumentationScope
	items(resource, scope int) int
	look(resource, scope, item int) Look
}

// sampleOf is generic because a batch as an interface would be an allocation for each batch.
func sampleOf[B items](s *Stage, b B) (all Sample) {
	if !s.Watched() {
		return nil
	}
	places := map[bool]int{} // the resources of each mode
	for r := range b.resources() {
		resource := b.resource(r)
		audited := s.policy.Audit(attributes.Text(resource.Attributes(), "service.name"))
		place := places[audited]
		places[audited]++
		total := 0
		for scope := range b.scopes(r) {
			total += b.items(r, scope)
		}
		n := s.Take(resource.Attributes(), min(total, maxSampled))
		for i := range n {
			scope, item := 0, i*total/n
			for ; item >= b.items(r, scope); scope++ {
				item -= b.items(r, scope)
			}
			all = append(all, sampled{s.Begin(resource, b.scope(r, scope), b.look(r, scope, item)), audited, place, scope, item})
		}
	}
	return all
}

// find finds the items by their places, which are those of the batch, unless the name of the service was a secret
// that was replaced since.
func find[B items](all Sample, part B, audited bool) (found Sample) {
	for _, one := range all {
		if one.audited == audited && one.resource < part.resources() &&
			serviceOf(part.resource(one.resource).Attributes()) == one.service {
			one.move(part.look(one.resource, one.scope, one.item))
			found = append(found, one)
		}
	}
	return found
}

type spans struct{ ptrace.Traces }

func (b spans) at(r, s int) ptrace.ScopeSpans   { return b.ResourceSpans().At(r).ScopeSpans().At(s) }
func (b spans) resources() int                  { return b.ResourceSpans().Len() }
func (b spans) resource(r int) pcommon.Resource { return b.ResourceSpans().At(r).Resource() }
func (b spans) scopes(r int) int                { return b.ResourceSpans().At(r).ScopeSpans().Len() }
func (b spans) items(r, s int) int              { return b.at(r, s).Spans().Len() }

func (b spans) scope(r, s int) pcommon.InstrumentationScope { return b.at(r, s).Scope() }

func (b spans) look(r, s, i int) Look {
	return Span(b.resource(r), b.at(r, s).Spans().At(i))
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

func (b metrics) look(r, s, i int) Look {
	all := b.at(r, s).Metrics()
	return Metric(b.resource(r), all, all.At(i))
}

type records struct{ plog.Logs }

func (b records) at(r, s int) plog.ScopeLogs      { return b.ResourceLogs().At(r).ScopeLogs().At(s) }
func (b records) resources() int                  { return b.ResourceLogs().Len() }
func (b records) resource(r int) pcommon.Resource { return b.ResourceLogs().At(r).Resource() }
func (b records) scopes(r int) int                { return b.ResourceLogs().At(r).ScopeLogs().Len() }
func (b records) items(r, s int) int              { return b.at(r, s).LogRecords().Len() }

func (b records) scope(r, s int) pcommon.InstrumentationScope { return b.at(r, s).Scope() }

func (b records) look(r, s, i int) Look {
	return Log(b.resource(r), b.at(r, s).LogRecords().At(i))
}
