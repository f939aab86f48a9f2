// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/metadata"
)

// NewFactory returns the factory of the naming processor.
func NewFactory() processor.Factory {
	return processor.NewFactory(metadata.Type, createDefaultConfig,
		processor.WithTraces(createTraces, metadata.TracesStability),
		processor.WithMetrics(createMetrics, metadata.MetricsStability),
		processor.WithLogs(createLogs, metadata.LogsStability))
}

func createTraces(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Traces) (processor.Traces, error) {
	p := newProcessor(set, cfg.(*Config), "traces")
	helper, err := processorhelper.NewTraces(ctx, set, cfg, next, func(ctx context.Context, batch ptrace.Traces) (ptrace.Traces, error) {
		process(ctx, p, traces, batch)
		return batch, nil
	}, p.options()...)
	return tracesHead{helper, p}, err
}

func createMetrics(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Metrics) (processor.Metrics, error) {
	p := newProcessor(set, cfg.(*Config), "metrics")
	helper, err := processorhelper.NewMetrics(ctx, set, cfg, next, func(ctx context.Context, batch pmetric.Metrics) (pmetric.Metrics, error) {
		process(ctx, p, metrics, batch)
		return batch, nil
	}, p.options()...)
	return metricsHead{helper, p}, err
}

func createLogs(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Logs) (processor.Logs, error) {
	p := newProcessor(set, cfg.(*Config), "logs")
	helper, err := processorhelper.NewLogs(ctx, set, cfg, next, func(ctx context.Context, batch plog.Logs) (plog.Logs, error) {
		process(ctx, p, logs, batch)
		return batch, nil
	}, p.options()...)
	return logsHead{helper, p}, err
}
