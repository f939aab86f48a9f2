// SPDX-License-Identifier: Apache-2.0

package prometheuspageexporter

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/page"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/sample"
)

const (
	exporterKey = "exporter"
	reasonKey   = "reason"
	// quiet is how long a reason is not logged again.
	quiet = time.Minute
)

// refusals are the refused points of a batch, by reason.
type refusals map[sample.Reason]refusal

type refusal struct {
	points int
	metric string // the name of the first one
}

func (r *refusals) add(why sample.Reason, metric string, points int) {
	if *r == nil {
		*r = refusals{}
	}
	before, ok := (*r)[why]
	if !ok {
		before.metric = metric
	}
	before.points += points
	(*r)[why] = before
}

// report counts and logs refused points and expired series.
type report struct {
	logger    *zap.Logger
	telemetry *metadata.TelemetryBuilder
	exporter  attribute.KeyValue

	mu     sync.Mutex
	logged map[sample.Reason]time.Time
	silent map[sample.Reason]int // the number of points since the last log line
}

func newReport(set exporter.Settings, p *page.Page) (*report, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	r := &report{
		logger: set.Logger, telemetry: telemetry, exporter: attribute.String(exporterKey, set.ID.String()),
		logged: map[sample.Reason]time.Time{}, silent: map[sample.Reason]int{},
	}
	observe := func(number func(page.Stats) int64) metric.Int64Callback {
		return func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(number(p.Stats()), r.with())
			return nil
		}
	}
	return r, errors.Join(
		telemetry.RegisterPrometheusPageSeriesCallback(observe(func(s page.Stats) int64 { return int64(s.Series) })),
		telemetry.RegisterPrometheusPageMemoryCallback(observe(func(s page.Stats) int64 { return s.Memory })),
		telemetry.RegisterPrometheusPageSizeCallback(observe(func(s page.Stats) int64 { return s.Text })))
}

func (r *report) with(more ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributes(append(more, r.exporter)...)
}

func (r *report) expired(series int) {
	if series > 0 {
		r.telemetry.PrometheusPageExpiredSeries.Add(context.Background(), int64(series), r.with())
	}
}

func (r *report) refused(all refusals) {
	for why, refused := range all {
		r.telemetry.PrometheusPageRefusedPoints.Add(context.Background(), int64(refused.points), r.with(attribute.String(reasonKey, string(why))))
		r.log(why, refused, time.Now())
	}
}

// log writes at most one line per minute and reason, because each batch usually has the same
// problems.
func (r *report) log(why sample.Reason, refused refusal, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silent[why] += refused.points
	if last, ok := r.logged[why]; ok && now.Sub(last) < quiet {
		return
	}
	r.logger.Warn("The Prometheus page does not show some points", zap.String(reasonKey, string(why)),
		zap.Int("points", r.silent[why]), zap.String("metric", refused.metric[:min(len(refused.metric), maxLogged)]))
	r.logged[why], r.silent[why] = now, 0
}

// maxLogged bounds a name in a log line, in bytes.
const maxLogged = 255

func (r *report) shutdown() { r.telemetry.Shutdown() }
