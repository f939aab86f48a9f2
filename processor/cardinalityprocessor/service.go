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

// serviceOf returns the service of a resource.
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
	metrics map[*series.Metric]*serviceMetric
	order   []*serviceMetric
	current struct { // the metric whose points are observed
		at     path
		known  *batchMetric
		looked bool           // metric is set
		metric *series.Metric // of the service, or nil
	}
}

// serviceMetric has the points of a service's metric.
type serviceMetric struct {
	batchMetric
	at     path
	points []servicePoint
}

// servicePoint is what the walk knows of a point.
type servicePoint struct {
	id   identity.Point
	why  series.Rule
	look *series.Look
	of   attrhash.Hash // identity of its own metric
}

func newServices() services {
	return services{batch: pmetric.NewMetrics(), scopes: map[attrhash.Hash]path{}, metrics: map[*series.Metric]*serviceMetric{}}
}

// clear prepares for the next batch.
func (s *services) clear() {
	if len(s.order) > 0 {
		*s = newServices()
	}
	s.current.known, s.current.metric = nil, nil
}

// at sets the metric whose points are observed next.
func (s *services) at(at path, known *batchMetric) {
	s.current.at, s.current.known, s.current.looked, s.current.metric = at, known, false, nil
}

// serviceMetric returns the metric that has the service's overflow series of the current
// metric. It creates the metric if asked to, and if there is memory for it.
func (w *walk) serviceMetric(create bool) *series.Metric {
	c := &w.services.current
	if c.metric == nil && (create || !c.looked) {
		m := c.at.metric
		id, _, _ := identify(c.known.metric.Service().Number(1), m)
		c.metric, c.looked = w.store.OfService(id, c.known.metric, create), true
	}
	return c.metric
}

// addOfService returns the service's metric, to which a point has to be moved, and records what
// is known of the point.
func (w *walk) addOfService(point servicePoint) pmetric.Metric {
	c, s := &w.services.current, &w.services
	of, ok := s.metrics[c.metric]
	if !ok {
		service := c.known.metric.Service()
		at, ok := s.scopes[service]
		if !ok {
			rm := s.batch.ResourceMetrics().AppendEmpty()
			rm.SetSchemaUrl(c.at.resource.SchemaUrl())
			for _, key := range serviceKeys {
				if value, ok := c.at.resource.Resource().Attributes().Get(key); ok {
					value.CopyTo(rm.Resource().Attributes().PutEmpty(key))
				}
			}
			// Each collector writes a series of its own. The seed survives as long as the state.
			rm.Resource().Attributes().PutStr("service.instance.id", fmt.Sprintf("overflow-%016x", attrhash.Hash{Lo: w.store.Seed}.Text("writer").Lo))
			at = path{resource: rm, scope: rm.ScopeMetrics().AppendEmpty()}
			s.scopes[service] = at
		}
		at.metric = at.scope.Metrics().AppendEmpty()
		datapoints.CopyIdentity(c.at.metric, at.metric)
		of = &serviceMetric{
			batchMetric: batchMetric{metric: c.metric, scope: service, temporality: c.known.temporality},
			at:          at,
		}
		of.ofService = of
		s.metrics[c.metric] = of
		s.order = append(s.order, of)
	}
	of.points = append(of.points, point)
	return of.at.metric
}

// processServices processes the points of services' overflow series and adds them to the batch.
func (w *walk) processServices(md pmetric.Metrics) {
	if len(w.services.order) == 0 {
		return
	}
	removed := map[pmetric.Metric]bool{}
	for _, of := range w.services.order {
		removed[of.at.metric] = w.processMetric(of.at, &of.batchMetric)
	}
	removeMetrics(w.services.batch, func(at path) bool { return removed[at.metric] })
	w.services.batch.ResourceMetrics().MoveAndAppendTo(md.ResourceMetrics())
}
