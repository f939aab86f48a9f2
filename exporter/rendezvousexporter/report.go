// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"errors"

	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/pipeline"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/health"
	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/metadata"
)

const (
	causeKey    = "cause"
	endpointKey = "endpoint"
	exporterKey = "exporter"
	reasonKey   = "reason"
	signalKey   = "signal"

	partialSuccess = "partial_success"
)

// report counts and logs the outcomes of items.
type report[T any] struct {
	logger    *zap.Logger
	telemetry *metadata.TelemetryBuilder
	labels    []attribute.KeyValue
}

func newReport[T any](set exporter.Settings, signal pipeline.Signal, counts func() (known, avoided int64)) (*report[T], error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	r := &report[T]{
		logger:    set.Logger,
		telemetry: telemetry,
		labels:    []attribute.KeyValue{attribute.String(exporterKey, set.ID.String()), attribute.String(signalKey, signal.String())},
	}
	return r, errors.Join(
		telemetry.RegisterRendezvousEndpointsCallback(func(_ context.Context, o metric.Int64Observer) error {
			known, _ := counts()
			o.Observe(known, r.with())
			return nil
		}),
		telemetry.RegisterRendezvousAvoidedEndpointsCallback(func(_ context.Context, o metric.Int64Observer) error {
			_, avoided := counts()
			o.Observe(avoided, r.with())
			return nil
		}))
}

func (r *report[T]) with(more ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributes(append(more, r.labels...)...)
}

// replied counts each item once, and retried items once for each attempt.
func (r *report[T]) replied(e *endpoint[T], p part[T]) {
	ctx, endpoint, items := context.Background(), attribute.String(endpointKey, e.name), int64(p.items)
	switch p.reply.Verdict {
	case health.Accepted:
		rejected := min(max(int64(p.reply.Rejected), 0), items)
		r.telemetry.RendezvousSentItems.Add(ctx, items-rejected, r.with(endpoint))
		if p.failover > 0 {
			r.telemetry.RendezvousFailoverItems.Add(ctx, min(int64(p.failover), items-rejected), r.with(endpoint))
		}
		if rejected > 0 || p.reply.Message != "" {
			r.dropped(e.name, rejected, p.reply.Message)
		}
	default:
		r.telemetry.RendezvousFailedItems.Add(ctx, items, r.with(endpoint, attribute.Stringer(causeKey, p.reply.Verdict)))
		if p.reply.Unsure {
			r.telemetry.RendezvousUnsureItems.Add(ctx, items, r.with(endpoint))
		}
	}
}

func (r *report[T]) dropped(endpoint string, items int64, message string) {
	r.telemetry.RendezvousDroppedItems.Add(context.Background(), items,
		r.with(attribute.String(endpointKey, endpoint), attribute.String(reasonKey, partialSuccess)))
	r.logger.Warn("Items are dropped because an endpoint rejected them in a request that it accepted", zap.String(endpointKey, endpoint),
		zap.Int64("items", items), zap.String("message", message))
}

func (r *report[T]) wentAway(e *endpoint[T], err error) {
	r.logger.Warn("An endpoint is away, its data goes to other endpoints", zap.String(endpointKey, e.name), zap.Error(err))
}

func (r *report[T]) cameBack(e *endpoint[T]) {
	r.logger.Info("An endpoint is back", zap.String(endpointKey, e.name))
}

func (r *report[T]) lookupFailed() {
	r.telemetry.RendezvousLookupFailures.Add(context.Background(), 1, r.with())
}

func (r *report[T]) shutdown() { r.telemetry.Shutdown() }
