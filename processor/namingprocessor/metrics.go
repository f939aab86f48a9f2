// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"iter"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/xpdata"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/decisions"
)

// metricBatch is what a walk knows of a batch of metrics.
type metricBatch struct {
	owners    []*naming.System  // of the resources, in order
	scopes    []*naming.Context // in order
	claimants []claimant        // the metrics, in order

	merges  merges                      // the metrics of one scope, by target
	rivals  map[int][]*decisions.Metric // the gauges of one scope, by target
	copies  pmetric.MetricSlice         // of one scope
	builder xpdata.MapBuilder           // of the attributes of a copy's point
}

func newMetricBatch() metricBatch {
	return metricBatch{merges: merges{}, rivals: map[int][]*decisions.Metric{}, copies: pmetric.NewMetricSlice()}
}

// reset forgets the batch.
func (b *metricBatch) reset() {
	clear(b.scopes)
	clear(b.claimants)
	clear(b.merges)
	clear(b.rivals)
	b.owners, b.scopes, b.claimants = b.owners[:0], b.scopes[:0], b.claimants[:0]
}

func (w *walk) metrics(md pmetric.Metrics) {
	w.claim(md)
	scope, metric := 0, 0
	for i, rm := range md.ResourceMetrics().All() {
		resource := rm.Resource().Attributes()
		w.service = attributes.Text(resource, serviceNameKey)
		for _, sm := range rm.ScopeMetrics().All() {
			ctx := w.batch.scopes[scope]
			scope++
			w.schema = schema{url: sm.SchemaUrl()}
			w.attributes(sm.Scope().Attributes(), ctx.Owner)
			clear(w.batch.merges)
			sm.Metrics().RemoveIf(func(m pmetric.Metric) bool {
				metric++
				return w.metric(ctx, m, w.batch.claimants[metric-1])
			})
			w.batch.copies.MoveAndAppendTo(sm.Metrics())
			w.fixSchema(sm, ctx.Owner)
		}
		w.resource(rm, resource, w.batch.owners[i])
	}
}

// claim decides about all metrics of a batch, in order. All metrics claim their names before any of them
// is renamed, so their order does not matter.
func (w *walk) claim(md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		resource := rm.Resource().Attributes()
		service := attributes.Text(resource, serviceNameKey)
		w.service = service
		resourceOwner := w.owner(resource, "")
		w.batch.owners = append(w.batch.owners, resourceOwner)
		w.fitSchemaURL(rm, resourceOwner)
		for _, sm := range rm.ScopeMetrics().All() {
			ctx := w.context(resource, service, w.fitScope(sm.Scope(), sm, resourceOwner))
			if !ctx.Owner.Owned() && naming.Page(ctx.Scope) {
				ctx = w.decisions.Page(ctx, attributes.Text(resource, serviceInstanceKey), namesOf(sm.Metrics()))
			}
			w.batch.scopes = append(w.batch.scopes, ctx)
			clear(w.batch.rivals)
			for _, m := range sm.Metrics().All() {
				fits := w.fitMetric(m, ctx.Owner)
				if original, ok := copyOf(m.Metadata()); ok {
					w.batch.claimants = append(w.batch.claimants, claimant{fits: fits, copyOf: original})
					continue
				}
				decision := w.decisions.Metric(decisions.MetricKey{Context: ctx, Name: m.Name(), Kind: kindOf(m), Unit: m.Unit()})
				w.compare(decision)
				w.batch.claimants = append(w.batch.claimants, claimant{Metric: decision, fits: fits})
			}
		}
	}
}

func namesOf(metrics pmetric.MetricSlice) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, m := range metrics.All() {
			if !yield(m.Name()) {
				return
			}
		}
	}
}

// claimant is a metric of the batch with its decision.
type claimant struct {
	*decisions.Metric        // nil for a copy
	copyOf            string // of a copy
	fits              bool   // no name was shortened
}

// metric makes one metric conformant and reports whether the caller must remove it, because its points
// moved to another metric of the same name.
func (w *walk) metric(ctx *naming.Context, m pmetric.Metric, claimant claimant) (remove bool) {
	decision := claimant.Metric
	if decision == nil {
		w.copied(ctx, m, claimant.copyOf, claimant.fits)
		return false
	}
	conformant := w.points(m, decision) && claimant.fits
	conformant = w.repair(ctx, m, decision) && conformant
	w.also(m, decision)
	if decision.Violation() {
		w.violation(decision.Rule, decision.System)
		conformant = false
	}
	verdict := w.decisions.Verdict(decision)
	switch {
	case verdict == nil:
	case !verdict.Granted:
		w.violation(naming.MetricCollision, decision.System)
		w.item(false)
		return false
	default:
		if verdict.Unit != "" && w.convert(m, verdict.Unit, decision.System) {
			conformant = false
		}
		// Values that were in the name keep the points apart already.
		if verdict.Shared && len(decision.Attributes) == 0 {
			w.fillPoints(m, m.Name(), decision.System)
			conformant = false
		}
	}
	if decision.Changed() {
		w.keep(m.Metadata(), m.Name(), decision.System)
		w.schema.changed(m.Name())
		m.SetName(decision.Name)
		w.change(decision.Rule, decision.System)
		conformant = false
	}
	w.item(conformant)
	return verdict != nil && w.merge(verdict, m, decision.System)
}

// repair gives a metric the kind and the unit of its pack's rule, and reports whether it already had them.
func (w *walk) repair(ctx *naming.Context, m pmetric.Metric, d *decisions.Metric) (conformant bool) {
	conformant = true
	if ucum, ok := w.p.namer.Unit(d.System, m.Unit()); ok {
		m.SetUnit(ucum)
		w.change(naming.MetricUnit, d.System)
		conformant = false
	}
	for _, rule := range d.Repairs {
		if rule.Type == conventions.TypeCounter && m.Type() == pmetric.MetricTypeGauge {
			w.toCounter(ctx, m, d)
			w.change(naming.MetricType, d.System)
			conformant = false
		}
		if unit := rule.Stated(m.Unit()); unit != m.Unit() {
			m.SetUnit(unit)
			w.change(naming.MetricUnit, d.System)
			conformant = false
		}
		if rule.Convert != "" && rule.Convert != m.Unit() {
			conformant = !w.convert(m, rule.Convert, d.System) && conformant
		}
	}
	return conformant
}

// toCounter makes a gauge a cumulative monotonic sum. Points without a start time get a constant one: the
// processor's start, or the first point's time if that is earlier.
func (w *walk) toCounter(ctx *naming.Context, m pmetric.Metric, d *decisions.Metric) {
	points := pmetric.NewNumberDataPointSlice()
	m.Gauge().DataPoints().MoveAndAppendTo(points)
	sum := m.SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	points.MoveAndAppendTo(sum.DataPoints())
	for _, p := range sum.DataPoints().All() {
		if p.StartTimestamp() == 0 {
			start := w.decisions.Start(d, ctx, m.Name(), uint64(min(w.p.started, p.Timestamp())))
			p.SetStartTimestamp(min(pcommon.Timestamp(start), p.Timestamp()))
		}
	}
}

// convert converts all values of a metric to another unit, and reports whether it did.
func (w *walk) convert(m pmetric.Metric, unit string, owner *naming.System) bool {
	if !convertMetric(m, unit) {
		w.violation(naming.MetricUnit, owner)
		return false
	}
	w.change(naming.MetricUnit, owner)
	return true
}

// convertMetric is convert without its counts.
func convertMetric(m pmetric.Metric, unit string) bool {
	c, ok := conventions.Convert(m.Unit(), unit)
	if !ok || !datapoints.Convert(m, c.Apply) {
		return false
	}
	m.SetUnit(unit)
	return true
}

// fillPoints adds the original name of a metric to its points, which keeps them apart from others.
func (w *walk) fillPoints(m pmetric.Metric, name string, owner *naming.System) {
	original := []naming.Attribute{{Key: naming.OriginalNameKey, Value: name}}
	for attrs := range datapoints.Attributes(m) {
		w.fill(attrs, original, owner)
	}
}

// points makes the attributes of all points of a metric conformant.
func (w *walk) points(m pmetric.Metric, d *decisions.Metric) (conformant bool) {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return eachPoint(w, d, m.Gauge().DataPoints().All())
	case pmetric.MetricTypeSum:
		return eachPoint(w, d, m.Sum().DataPoints().All())
	case pmetric.MetricTypeHistogram:
		return eachPoint(w, d, m.Histogram().DataPoints().All())
	case pmetric.MetricTypeExponentialHistogram:
		return eachPoint(w, d, m.ExponentialHistogram().DataPoints().All())
	case pmetric.MetricTypeSummary:
		conformant = true
		for _, point := range m.Summary().DataPoints().All() {
			conformant = w.attributes(point.Attributes(), d.System) && conformant
			w.fill(point.Attributes(), d.Attributes, d.System)
		}
		return conformant
	}
	return true
}

// exemplified is a data point that can have exemplars, which is every kind except summary points.
type exemplified interface {
	Attributes() pcommon.Map
	Exemplars() pmetric.ExemplarSlice
}

func eachPoint[P exemplified](w *walk, d *decisions.Metric, points iter.Seq2[int, P]) (conformant bool) {
	conformant = true
	for _, point := range points {
		conformant = w.attributes(point.Attributes(), d.System) && conformant
		if len(d.Attributes) > 0 {
			w.fill(point.Attributes(), d.Attributes, d.System)
		}
		for _, exemplar := range point.Exemplars().All() {
			conformant = w.attributes(exemplar.FilteredAttributes(), d.System) && conformant
		}
	}
	return conformant
}
