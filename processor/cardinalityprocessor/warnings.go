// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"maps"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/internal/paste"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// maxWarned is the largest number of metrics that warnings tracks.
const maxWarned = 1000

// warnings logs metrics that are near a budget or exceed it, each at most once in
// series.WarnEvery. It is safe for concurrent use.
type warnings struct {
	logger *zap.Logger
	config *Config
	paste  paste.Cardinality

	mu     sync.Mutex
	logged map[warned]time.Time
	// merged has the metrics whose summaries were reported.
	merged map[warned]bool
}

type warned struct{ service, metric string }

func newWarnings(logger *zap.Logger, config *Config, pasted paste.Cardinality) *warnings {
	return &warnings{logger: logger, config: config, paste: pasted, logged: map[warned]time.Time{}, merged: map[warned]bool{}}
}

// log logs a warning, unless the last one about the metric is too recent.
func (w *warnings) log(now time.Time, warning series.Warning) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if warning.Quantiles {
		w.logQuantiles(warned{warning.Service, warning.Metric})
		return
	}
	if !w.due(now, warned{warning.Service, warning.Metric}) {
		return
	}
	message := "A metric exceeds a limit of series"
	if warning.Admitted {
		message = "A metric is near a limit of series: 80 % are used"
	}
	w.logger.Warn(message, zap.Stringer("budget", warning.Rule),
		zap.String("service", warning.Service), zap.String("metric", warning.Metric), zap.Int("limit", warning.Limit),
		zap.Int("series", warning.Demand), zap.String("attribute", warning.Attribute), zap.Int("values", warning.Values),
		zap.String("override", w.override(warning)))
}

// logQuantiles logs once for each metric that its summaries lose their quantiles.
func (w *warnings) logQuantiles(metric warned) {
	if w.merged[metric] || len(w.merged) >= maxWarned {
		return
	}
	w.merged[metric] = true
	w.logger.Warn("Summaries lose an attribute: their counts and sums are added up, and their quantiles, which cannot be, are removed",
		zap.String("service", metric.service), zap.String("metric", metric.metric))
}

// due reports whether a metric may be logged now, and records the time. If the table is full, those leave it that may be
// logged again.
func (w *warnings) due(now time.Time, key warned) bool {
	old := func(_ warned, last time.Time) bool { return now.Sub(last) >= series.WarnEvery }
	last, ok := w.logged[key]
	if !ok && len(w.logged) >= maxWarned {
		maps.DeleteFunc(w.logged, old)
	}
	if ok && !old(key, last) || len(w.logged) >= maxWarned {
		return false
	}
	w.logged[key] = now
	return true
}

// override returns YAML settings that keep the metric within its budget. They drop the attribute that causes at least
// half of the series, or double the budget. It is empty if settings cannot select the metric.
func (w *warnings) override(warning series.Warning) string {
	if 2*warning.Values >= warning.Demand && !warning.Keeps {
		if text := w.paste.Drop(warning.Metric, warning.Attribute); text != "" {
			return text
		}
	}
	switch warning.Rule {
	case series.RuleServiceLimit:
		return w.paste.Set("service_limit", 2*w.config.ServiceLimit)
	case series.RuleMemory:
		return w.paste.Set("memory_limit_mib", 2*w.config.MemoryLimitMib)
	default:
		return w.paste.Limit(warning.Metric, 2*max(warning.Limit, warning.Demand))
	}
}
