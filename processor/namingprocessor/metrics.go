package namingprocessor

import (
	"iter"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

func (w *walk) metrics(md pmetric.Metrics) {
	md.ResourceMetrics().RemoveIf(func(rm pmetric.ResourceMetrics) bool {
		resource := rm.Resource().Attributes()
		resourceOwner := w.owner(resource, "")
		before := rm.ScopeMetrics().Len()
		rm.ScopeMetrics().RemoveIf(func(sm pmetric.ScopeMetrics) bool {
			owner := w.owner(resource, sm.Scope().Name())
			w.attributes(sm.Scope().Attributes(), owner)
			before := sm.Metrics().Len()
			sm.Metrics().RemoveIf(func(m pmetric.Metric) bool { return w.metric(owner, m) })
			return emptied(before, sm.Metrics().Len())
		})
		// Last, because the packs know their resources by the original keys.
		w.attributes(resource, resourceOwner)
		return emptied(before, rm.ScopeMetrics().Len())
	})
}

// emptied tells whether a container lost all it had. One that came empty stays.
func emptied(before, after int) bool { return before > 0 && after == 0 }

// metric makes one metric conformant and tells whether it is to be dropped.
func (w *walk) metric(owner *naming.System, m pmetric.Metric) (drop bool) {
	decision := w.decisions.metric(owner, m.Name())
	if decision.Drop {
		w.drop()
		return true
	}
	conformant := !decision.Changed()
	if !conformant {
		w.keep(m.Metadata(), m.Name())
		m.SetName(decision.Name)
		w.change(decision.Rule, decision.System)
	}
	if unit, ok := decision.System.Unit(m.Unit()); ok {
		m.SetUnit(unit)
		w.change(naming.MetricUnit, decision.System)
		conformant = false
	}
	if decision.Violation() {
		w.violation(decision.Rule, decision.System)
	}
	w.item(w.points(m, decision.System) && conformant)
	return false
}

// points makes the attributes of all points of a metric conformant.
func (w *walk) points(m pmetric.Metric, system *naming.System) (conformant bool) {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return eachPoint(w, system, m.Gauge().DataPoints().All())
	case pmetric.MetricTypeSum:
		return eachPoint(w, system, m.Sum().DataPoints().All())
	case pmetric.MetricTypeHistogram:
		return eachPoint(w, system, m.Histogram().DataPoints().All())
	case pmetric.MetricTypeExponentialHistogram:
		return eachPoint(w, system, m.ExponentialHistogram().DataPoints().All())
	case pmetric.MetricTypeSummary:
		conformant = true
		for _, point := range m.Summary().DataPoints().All() {
			conformant = w.attributes(point.Attributes(), system) && conformant
		}
		return conformant
	}
	return true
}

// exemplified is a data point that can hold exemplars: all but a summary's.
type exemplified interface {
	Attributes() pcommon.Map
	Exemplars() pmetric.ExemplarSlice
}

func eachPoint[P exemplified](w *walk, system *naming.System, points iter.Seq2[int, P]) (conformant bool) {
	conformant = true
	for _, point := range points {
		conformant = w.attributes(point.Attributes(), system) && conformant
		for _, exemplar := range point.Exemplars().All() {
			conformant = w.attributes(exemplar.FilteredAttributes(), system) && conformant
		}
	}
	return conformant
}
