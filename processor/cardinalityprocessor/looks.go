// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/scrape"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/internal/useragent"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// origin is what sent a batch, if the batch has all streams of it. The zero value
// says nothing about the batch.
type origin struct {
	target   string // a scraped target, or empty
	resource int    // the index of the target's own resource
	sdk      bool   // an SDK, which sends all streams of a resource in one request
}

// originOf returns the origin of a batch.
func originOf(ctx context.Context, md pmetric.Metrics) (s origin) {
	if target, ok := scrape.TargetFromContext(ctx); ok {
		if s.resource, ok = scraped(md); ok {
			s.target = target.GetValue(model.JobLabel) + " " + target.URL().String()
		}
		return s
	}
	s.sdk = isSDK(useragent.Of(ctx))
	return s
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
func scraped(md pmetric.Metrics) (resource int, ok bool) {
	resource = -1
	for i, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				if m.Name() != "up" || m.Type() != pmetric.MetricTypeGauge {
					continue
				}
				for _, dp := range m.Gauge().DataPoints().All() {
					if dp.Flags().NoRecordedValue() || dp.DoubleValue() != 1 || resource >= 0 && resource != i {
						return 0, false
					}
					resource = i
				}
			}
		}
	}
	return resource, resource >= 0
}

// look begins the looks of the batch. It is called in the turn of the batch: no other batch looks at
// the same source while it waits for the next component.
func (w *walk) look(from origin, md pmetric.Metrics) {
	if from.sdk || from.target != "" {
		w.addLooks(from, md)
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
func (w *walk) addLooks(from origin, md pmetric.Metrics) {
	n := 0
	for i, rm := range md.ResourceMetrics().All() {
		look := w.lookAt(from, i, w.resources[i])
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				known := &w.metrics[n]
				known.look = look
				n++
				if look != nil && known.metric != nil && w.first[known.metric] == m {
					start, time := firstTimes(m)
					look.Add(known.metric, known.temporality, start, time)
				}
			}
		}
	}
}

// lookAt returns the look at a resource of the batch, if there is one.
func (w *walk) lookAt(from origin, index int, resource attrhash.Hash) *series.Look {
	if !from.sdk && (from.target == "" || index != from.resource) {
		return nil
	}
	id := resource.Text(from.target)
	look, known := w.looks[id]
	if !known {
		look = w.store.Look(&w.batch, id, !from.sdk)
		w.looks[id] = look
	}
	return look
}

// firstTimes returns the start and the time of the first point of a metric that can be
// cumulative.
func firstTimes(m pmetric.Metric) (start, time pcommon.Timestamp) {
	switch {
	case m.Type() == pmetric.MetricTypeSum && m.Sum().DataPoints().Len() > 0:
		dp := m.Sum().DataPoints().At(0)
		return dp.StartTimestamp(), dp.Timestamp()
	case m.Type() == pmetric.MetricTypeHistogram && m.Histogram().DataPoints().Len() > 0:
		dp := m.Histogram().DataPoints().At(0)
		return dp.StartTimestamp(), dp.Timestamp()
	case m.Type() == pmetric.MetricTypeExponentialHistogram && m.ExponentialHistogram().DataPoints().Len() > 0:
		dp := m.ExponentialHistogram().DataPoints().At(0)
		return dp.StartTimestamp(), dp.Timestamp()
	default:
		return 0, 0
	}
}
