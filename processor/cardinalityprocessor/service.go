// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// serviceKeys are the resource attributes that identify a service. All its instances share
// them, so the overflow series of the service keep them, and no others.
var serviceKeys = []string{"service.namespace", "service.name", "deployment.environment.name", "deployment.environment"}

func serviceOf(seed uint64, resource pcommon.Map) series.Service {
	id := attrhash.Hash{Lo: seed}
	for _, key := range serviceKeys {
		id = id.Text(attributes.Text(resource, key))
	}
	return series.Service{ID: id, Name: attributes.Text(resource, "service.name")}
}

// services collects the points that belong to overflow series of services, which have no
// resource of their own in the batch.
type services struct {
	batch   pmetric.Metrics
	scopes  map[attrhash.Hash]path // by service, without metric
	metrics map[*series.Metric]*batchMetric
	order   []*batchMetric
}

// servicePoint is what the walk knows of a point of a service's overflow series.
type servicePoint struct {
	id    identity.Point
	why   series.Rule
	look  *series.Look
	owner attrhash.Hash // the identity of the metric that it came with
}

func newServices() services {
	return services{batch: pmetric.NewMetrics(), scopes: map[attrhash.Hash]path{}, metrics: map[*series.Metric]*batchMetric{}}
}

// clear prepares for the next batch.
func (s *services) clear() {
	if len(s.order) > 0 {
		*s = newServices()
	}
}

// overflowMetric returns the metric that has the service's overflow series of the current
// metric. It creates the metric if asked to, and if there is memory for it.
func (w *walk) overflowMetric(create bool) *series.Metric {
	m := w.current
	if m.overflow == nil && (create || !m.overflowKnown) {
		id, _, _ := identify(m.stored.Service().Number(1), m.metric)
		m.overflow, m.overflowKnown = w.store.OfService(id, m.stored, create), true
	}
	return m.overflow
}

// addOfService returns the service's metric, to which a point of the current metric has to be moved, and
// records what is known of the point.
func (w *walk) addOfService(point servicePoint) pmetric.Metric {
	from, s := w.current, &w.services
	to, ok := s.metrics[from.overflow]
	if !ok {
		to = &batchMetric{path: w.servicePath(from), stored: from.overflow, temporality: from.temporality}
		to.metric = to.scope.Metrics().AppendEmpty()
		datapoints.CopyIdentity(from.metric, to.metric)
		s.metrics[from.overflow] = to
		s.order = append(s.order, to)
	}
	to.points, to.ofService = append(to.points, point.id), append(to.ofService, point)
	return to.metric
}

// servicePath returns the resource and scope of the overflow series of a metric's service.
func (w *walk) servicePath(from *batchMetric) path {
	service := from.stored.Service()
	if known, ok := w.services.scopes[service]; ok {
		return known
	}
	rm := w.services.batch.ResourceMetrics().AppendEmpty()
	rm.SetSchemaUrl(from.resource.SchemaUrl())
	for _, key := range serviceKeys {
		if value, ok := from.resource.Resource().Attributes().Get(key); ok {
			value.CopyTo(rm.Resource().Attributes().PutEmpty(key))
		}
	}
	// Each collector writes a series of its own. The seed survives as long as the state.
	rm.Resource().Attributes().PutStr("service.instance.id", fmt.Sprintf("overflow-%016x", attrhash.Hash{Lo: w.store.Seed}.Text("writer").Lo))
	added := path{resource: rm, scope: rm.ScopeMetrics().AppendEmpty()}
	w.services.scopes[service] = added
	return added
}

// mergeServices merges the points of services' overflow series and adds them to the batch.
func (w *walk) mergeServices(md pmetric.Metrics) {
	if len(w.services.order) == 0 {
		return
	}
	removed := map[pmetric.Metric]bool{}
	for _, m := range w.services.order {
		m.removed = w.mergeMetric(m)
		removed[m.metric] = m.removed
		m.dropBuckets()
	}
	removeMetrics(w.services.batch, func(m path) bool { return removed[m.metric] })
	w.services.batch.ResourceMetrics().MoveAndAppendTo(md.ResourceMetrics())
}
