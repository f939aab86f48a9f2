// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/connector/spilloverconnector/internal/batcher"
	"github.com/otelcol-tc/otelcol-tc/connector/spilloverconnector/internal/metadata"
)

// NewFactory returns the factory of the spillover connector.
func NewFactory() connector.Factory {
	return connector.NewFactory(metadata.Type, createDefaultConfig,
		connector.WithTracesToTraces(createTraces, metadata.TracesToTracesStability),
		connector.WithMetricsToMetrics(createMetrics, metadata.MetricsToMetricsStability),
		connector.WithLogsToLogs(createLogs, metadata.LogsToLogsStability))
}

func limits(cfg *Config) batcher.Settings {
	return batcher.Settings{
		FlushTimeout: cfg.Batch.FlushTimeout, MinSize: cfg.Batch.MinSize, MaxSize: cfg.Batch.MaxSize, InFlight: cfg.NumConsumers,
	}
}

type (
	tracesConnector  struct{ *spillover[ptrace.Traces] }
	metricsConnector struct{ *spillover[pmetric.Metrics] }
	logsConnector    struct{ *spillover[plog.Logs] }
)

func (c tracesConnector) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	return c.batcher.Consume(ctx, td)
}

func (c metricsConnector) ConsumeMetrics(ctx context.Context, md pmetric.Metrics) error {
	return c.batcher.Consume(ctx, md)
}

func (c logsConnector) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	return c.batcher.Consume(ctx, ld)
}

func createTraces(_ context.Context, set connector.Settings, config component.Config, next consumer.Traces) (connector.Traces, error) {
	cfg := config.(*Config)
	s, err := newSpillover(set, cfg, limits(cfg), traces, next.ConsumeTraces, next.Capabilities())
	return tracesConnector{s}, err
}

// metricsFlush is the longest flush timeout of metrics. Requests gather anyway while the batch before them is
// on its way, and cardinality holds back all batches of a service until one is accepted: with 20 ms a service
// with requests of 500 points could send no more than 20,000 points a second.
const metricsFlush = time.Millisecond

// createMetrics waits for the answer to one batch at a time. With more, points overtake each other, and a
// consumer of deltas drops those that come late.
func createMetrics(_ context.Context, set connector.Settings, config component.Config, next consumer.Metrics) (connector.Metrics, error) {
	cfg := config.(*Config)
	of := limits(cfg)
	of.FlushTimeout, of.InFlight = min(of.FlushTimeout, metricsFlush), 1
	s, err := newSpillover(set, cfg, of, metrics, next.ConsumeMetrics, next.Capabilities())
	return metricsConnector{s}, err
}

func createLogs(_ context.Context, set connector.Settings, config component.Config, next consumer.Logs) (connector.Logs, error) {
	cfg := config.(*Config)
	s, err := newSpillover(set, cfg, limits(cfg), logs, next.ConsumeLogs, next.Capabilities())
	return logsConnector{s}, err
}
