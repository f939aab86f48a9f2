// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/pointtype"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// bound repairs or drops points that exporters cannot send, also of metrics that are not
// checked. Such a point ends the process in some exporters, and some backends refuse the
// whole request.
func (w *walk) bound(md pmetric.Metrics, log *boundsLog) {
	removeMetrics(md, func(m path) bool { return w.boundMetric(m, log) })
}

// boundMetric reports whether no point of a metric is left.
func (w *walk) boundMetric(m path, log *boundsLog) (none bool) {
	switch metric := m.metric; metric.Type() {
	case pmetric.MetricTypeHistogram:
		return boundPoints(w, m, log, metric.Histogram().DataPoints(), aggregate.BoundHistogram)
	case pmetric.MetricTypeExponentialHistogram:
		return boundPoints(w, m, log, metric.ExponentialHistogram().DataPoints(), aggregate.BoundExponential)
	case pmetric.MetricTypeSummary:
		return boundPoints(w, m, log, metric.Summary().DataPoints(), aggregate.BoundSummary)
	default:
		return false // numbers have no bounds
	}
}

func boundPoints[S pointtype.Points[D], D pointtype.Point](w *walk, m path, log *boundsLog, all S, bound func(D) aggregate.Bounds) (none bool) {
	before := all.Len()
	all.RemoveIf(func(dp D) bool {
		b := bound(dp)
		if b == aggregate.Within {
			return false
		}
		w.outOfBounds[b]++
		if b.Drop() {
			w.tally.points++ // add does not count it any more
		}
		// SDKs send a single value with a scale that is too fine. This needs no warning.
		if b != aggregate.TooFine {
			log.note(w.batch.Now, m, b)
		}
		return b.Drop()
	})
	if all.Len() < before {
		resource := identity.Resource(w.store.Seed, m.resource.Resource().Attributes())
		id, _, _ := identify(identity.Scope(w.store.Seed, resource, m.scope.Scope()), m.metric)
		w.lost = append(w.lost, id)
	}
	return emptied(before, all.Len())
}

// boundsLog logs points that are out of bounds, at most once in series.WarnEvery. It is safe
// for concurrent use.
type boundsLog struct {
	logger *zap.Logger

	mu      sync.Mutex
	logged  time.Time
	skipped int // the number of points since then
}

// note logs or counts a point.
func (l *boundsLog) note(now time.Time, m path, b aggregate.Bounds) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.logged.IsZero() && now.Sub(l.logged) < series.WarnEvery {
		l.skipped++
		return
	}
	message := "A data point that exporters cannot send was repaired"
	if b.Drop() {
		message = "A data point that exporters cannot send was dropped"
	}
	service := attributes.Text(m.resource.Resource().Attributes(), "service.name")
	l.logger.Warn(message, zap.Stringer("reason", b),
		zap.String("service", plan.Name(service)), zap.String("metric", plan.Name(m.metric.Name())),
		zap.Int("others_since_last_log", l.skipped))
	l.logged, l.skipped = now, 0
}
