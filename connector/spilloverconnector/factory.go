package spilloverconnector

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter/exporterhelper"

	"github.com/otelcol-tc/otelcol-tc/connector/spilloverconnector/internal/metadata"
)

// NewFactory returns the factory of the spillover connector.
func NewFactory() connector.Factory {
	return connector.NewFactory(metadata.Type, defaultConfig,
		connector.WithTracesToTraces(createTraces, metadata.TracesToTracesStability),
		connector.WithMetricsToMetrics(createMetrics, metadata.MetricsToMetricsStability),
		connector.WithLogsToLogs(createLogs, metadata.LogsToLogsStability))
}

// defaultConfig sets the defaults of batch, which mdatagen cannot express. The flush timeout is part of
// the latency of each sender.
func defaultConfig() component.Config {
	cfg := createDefaultConfig().(*Config)
	cfg.Batch = exporterhelper.BatchConfig{
		FlushTimeout: 20 * time.Millisecond,
		Sizer:        exporterhelper.RequestSizerTypeBytes,
		MinSize:      mebibyte / 2,
		MaxSize:      2 * mebibyte,
	}
	return cfg
}

func createTraces(ctx context.Context, set connector.Settings, config component.Config, next consumer.Traces) (connector.Traces, error) {
	cfg := config.(*Config)
	s, err := newSpillover(set, cfg, traces, next.ConsumeTraces, next.Capabilities())
	if err != nil {
		return nil, err
	}
	batcher, err := exporterhelper.NewTraces(ctx, batcherSettings(set), cfg, s.send, s.options(cfg.NumConsumers, cfg.Batch)...)
	return &tracesConnector{batcher, s.stop}, err
}

// metricsFlush is the longest flush timeout of metrics. Requests gather anyway while the batch before them is
// on its way, and cardinality holds back all batches of a service until one is accepted: with 20 ms a service
// with requests of 500 points could send no more than 20,000 points a second.
const metricsFlush = time.Millisecond

// createMetrics waits for the answer to one batch at a time. With more, points overtake each other, and a
// consumer of deltas drops those that come late.
func createMetrics(ctx context.Context, set connector.Settings, config component.Config, next consumer.Metrics) (connector.Metrics, error) {
	cfg := config.(*Config)
	s, err := newSpillover(set, cfg, metrics, next.ConsumeMetrics, next.Capabilities())
	if err != nil {
		return nil, err
	}
	batch := cfg.Batch
	batch.FlushTimeout = min(batch.FlushTimeout, metricsFlush)
	batcher, err := exporterhelper.NewMetrics(ctx, batcherSettings(set), cfg, s.send, s.options(1, batch)...)
	return &metricsConnector{batcher, s.stop}, err
}

func createLogs(ctx context.Context, set connector.Settings, config component.Config, next consumer.Logs) (connector.Logs, error) {
	cfg := config.(*Config)
	s, err := newSpillover(set, cfg, logs, next.ConsumeLogs, next.Capabilities())
	if err != nil {
		return nil, err
	}
	batcher, err := exporterhelper.NewLogs(ctx, batcherSettings(set), cfg, s.send, s.options(cfg.NumConsumers, cfg.Batch)...)
	return &logsConnector{batcher, s.stop}, err
}
