package cardinalityprocessor

import (
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
)

// bound repairs the points that exporters cannot take, or drops them, whatever becomes
// of their series: some exporters end the process for such a point, and some backends
// refuse all that comes with it. It reports whether it changed anything.
func (w *walk) bound(md pmetric.Metrics) (changed bool) {
	md.ResourceMetrics().RemoveIf(func(rm pmetric.ResourceMetrics) bool {
		before := rm.ScopeMetrics().Len()
		rm.ScopeMetrics().RemoveIf(func(sm pmetric.ScopeMetrics) bool {
			before := sm.Metrics().Len()
			sm.Metrics().RemoveIf(func(m pmetric.Metric) bool {
				emptied, touched := w.boundMetric(rm.Resource(), m)
				changed = changed || touched
				return emptied
			})
			return emptied(before, sm.Metrics().Len())
		})
		return emptied(before, rm.ScopeMetrics().Len())
	})
	return changed
}

func (w *walk) boundMetric(resource pcommon.Resource, m pmetric.Metric) (emptied, changed bool) {
	switch m.Type() {
	case pmetric.MetricTypeHistogram:
		return boundPoints(w, resource, m, m.Histogram().DataPoints(), aggregate.BoundHistogram)
	case pmetric.MetricTypeExponentialHistogram:
		return boundPoints(w, resource, m, m.ExponentialHistogram().DataPoints(), aggregate.BoundExponential)
	case pmetric.MetricTypeSummary:
		return boundPoints(w, resource, m, m.Summary().DataPoints(), aggregate.BoundSummary)
	default:
		return false, false // a number is never out of bounds
	}
}

func boundPoints[D point](w *walk, resource pcommon.Resource, m pmetric.Metric, all points[D], bound func(D) aggregate.Bounds) (none, changed bool) {
	before := all.Len()
	all.RemoveIf(func(dp D) bool {
		b := bound(dp)
		if b == aggregate.Within {
			return false
		}
		changed = true
		w.outOfBounds[b]++
		if b.Drop() {
			w.points++ // nobody else will count it
		}
		// What an SDK sends of a single value is too fine as well, and nothing to warn of.
		if b != aggregate.TooFine {
			w.boundsLog.note(w.now, resource, m, b)
		}
		return b.Drop()
	})
	return emptied(before, all.Len()), changed
}

// boundsLog logs that points are out of bounds, at most once in a while. It is safe for
// concurrent use.
type boundsLog struct {
	logger *zap.Logger

	mu     sync.Mutex
	logged time.Time
	silent int // points since then
}

// note notes a point, and logs it when that is due.
func (l *boundsLog) note(now time.Time, resource pcommon.Resource, m pmetric.Metric, b aggregate.Bounds) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.logged.IsZero() && now.Sub(l.logged) < logEvery {
		l.silent++
		return
	}
	message := "A data point that exporters cannot take was repaired"
	if b.Drop() {
		message = "A data point that exporters cannot take was dropped"
	}
	service, _ := attributes.Text(resource.Attributes(), "service.name")
	l.logger.Warn(message, zap.Stringer("reason", b),
		zap.String("service", naming.Beginning(service, maxNameBytes)), zap.String("metric", naming.Beginning(m.Name(), maxNameBytes)),
		zap.Int("others_since_last_log", l.silent))
	l.logged, l.silent = now, 0
}
