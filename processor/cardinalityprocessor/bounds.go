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
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/kind"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// bound repairs or drops points that exporters cannot send, also of metrics that are not
// checked. Such a point ends the process in some exporters, and some backends refuse the
// whole request.
func (w *walk) bound(md pmetric.Metrics, log *boundsLog) {
	removeMetrics(md, func(at path) bool { return w.boundMetric(at, log) })
}

// boundMetric reports whether no point of a metric is left.
func (w *walk) boundMetric(at path, log *boundsLog) (none bool) {
	switch m := at.metric; m.Type() {
	case pmetric.MetricTypeHistogram:
		return boundPoints(w, at, log, m.Histogram().DataPoints(), aggregate.BoundHistogram)
	case pmetric.MetricTypeExponentialHistogram:
		return boundPoints(w, at, log, m.ExponentialHistogram().DataPoints(), aggregate.BoundExponential)
	case pmetric.MetricTypeSummary:
		return boundPoints(w, at, log, m.Summary().DataPoints(), aggregate.BoundSummary)
	default:
		return false // numbers have no bounds
	}
}

func boundPoints[D kind.Point](w *walk, at path, log *boundsLog, all kind.Points[D], bound func(D) aggregate.Bounds) (none bool) {
	before := all.Len()
	all.RemoveIf(func(dp D) bool {
		b := bound(dp)
		if b == aggregate.Within {
			return false
		}
		w.outOfBounds[b]++
		if b.Drop() {
			w.tally.points++ // walkPoints does not count it any more
		}
		// SDKs send a single value with a scale that is too fine. This needs no warning.
		if b != aggregate.TooFine {
			log.note(w.batch.Now, at, b)
		}
		return b.Drop()
	})
	if all.Len() < before {
		resource := identity.Resource(w.store.Seed, at.resource.Resource().Attributes())
		id, _, _ := identify(identity.Scope(w.store.Seed, resource, at.scope.Scope()), at.metric)
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
func (l *boundsLog) note(now time.Time, at path, b aggregate.Bounds) {
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
	service := attributes.Text(at.resource.Resource().Attributes(), "service.name")
	l.logger.Warn(message, zap.Stringer("reason", b),
		zap.String("service", plan.Name(service)), zap.String("metric", plan.Name(at.metric.Name())),
		zap.Int("others_since_last_log", l.skipped))
	l.logged, l.skipped = now, 0
}
