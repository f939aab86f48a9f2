// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/scrape"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/httpserver"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// origin is what sent a batch, if the batch has all streams of it. The zero value
// says nothing about the batch.
type origin struct {
	target   string // a scraped target, or empty
	resource int    // the index of the target's own resource
	sdk      bool   // an SDK, which sends all streams of a resource in one request
}

// origin returns the origin of the batch.
func (w *walk) origin(ctx context.Context) (from origin) {
	if target, ok := scrape.TargetFromContext(ctx); ok {
		if from.resource, ok = w.scraped(); ok {
			from.target = target.GetValue(model.JobLabel) + " " + target.URL().String()
		}
		return from
	}
	from.sdk = isSDK(httpserver.UserAgent(ctx))
	return from
}

// isSDK reports whether a user agent is the OTLP exporter of an SDK. The specification of
// OTLP exporters defines the first form, and Go has the second one.
func isSDK(userAgent string) bool {
	return strings.HasPrefix(userAgent, "OTel-OTLP-Exporter-") || strings.HasPrefix(userAgent, "OTel Go OTLP over ")
}

// scraped returns the index of the resource that has the metric up, if the scrape succeeded.
// The receiver passes each scrape on as one batch. It adds up to the target's own resource.
// A second resource with up comes from a page that repeats other targets, whose streams can
// be older than they seem.
func (w *walk) scraped() (resource int, ok bool) {
	resource = -1
	for i := range w.metrics {
		m := &w.metrics[i]
		if m.metric.Type() != pmetric.MetricTypeGauge || m.metric.Name() != "up" {
			continue
		}
		for _, dp := range m.metric.Gauge().DataPoints().All() {
			if dp.Flags().NoRecordedValue() || dp.DoubleValue() != 1 || resource >= 0 && resource != m.resourceIndex {
				return 0, false
			}
			resource = m.resourceIndex
		}
	}
	return resource, resource >= 0
}

// look begins the looks of the batch. It is called in the turn of the batch: no other batch looks at
// the same source while it waits for the next component.
func (w *walk) look(ctx context.Context) {
	if from := w.origin(ctx); from.sdk || from.target != "" {
		w.addLooks(from)
	}
	for _, look := range w.looks {
		if look != nil {
			look.Complete(&w.batch)
		}
	}
	for _, id := range w.lost {
		w.store.Miss(id)
	}
}

// addLooks finds the look of each metric.
func (w *walk) addLooks(from origin) {
	for i := range w.metrics {
		m := &w.metrics[i]
		if i > 0 && m.resourceIndex == w.metrics[i-1].resourceIndex {
			m.look = w.metrics[i-1].look
		} else if from.sdk || m.resourceIndex == from.resource {
			m.look = w.lookAt(from, m)
		}
		if m.look != nil && m.stored != nil && !m.moved && m.metric.Type() != pmetric.MetricTypeSummary {
			start, time := walkers[m.metric.Type()].firstTimes(m.metric)
			m.look.Add(m.stored, m.temporality, start, time)
		}
	}
}

// lookAt returns the look at the resource of a metric.
func (w *walk) lookAt(from origin, m *batchMetric) *series.Look {
	id := m.resourceID.Text(from.target)
	look, known := w.looks[id]
	if !known {
		look = w.store.Look(&w.batch, id, w.rules.plans.Generation, !from.sdk)
		w.looks[id] = look
	}
	return look
}
