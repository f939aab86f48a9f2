// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configcompression"
	"go.opentelemetry.io/collector/config/configgrpc"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/metadata"
)

// NewFactory returns the factory of the rendezvous exporter.
func NewFactory() exporter.Factory {
	return exporter.NewFactory(metadata.Type, defaultConfig,
		exporter.WithTraces(createTraces, metadata.TracesStability),
		exporter.WithMetrics(createMetrics, metadata.MetricsStability),
		exporter.WithLogs(createLogs, metadata.LogsStability))
}

// defaultConfig sets the defaults that mdatagen cannot express, to those of the otlp_grpc exporter.
func defaultConfig() component.Config {
	cfg := createDefaultConfig().(*Config)
	cfg.Client = configgrpc.NewDefaultClientConfig()
	cfg.Client.Compression = configcompression.TypeGzip
	cfg.Client.WriteBufferSize = 512 * 1024
	cfg.Client.Keepalive = configoptional.None[configgrpc.KeepaliveClientConfig]()
	cfg.SendingQueue = configoptional.Some(exporterhelper.NewDefaultQueueConfig())
	cfg.RetryOnFailure = configretry.NewDefaultBackOffConfig()
	return cfg
}

func createTraces(ctx context.Context, set exporter.Settings, config component.Config) (exporter.Traces, error) {
	cfg := config.(*Config)
	r, err := newRendezvous(set, cfg, traces)
	if err != nil {
		return nil, err
	}
	return exporterhelper.NewTraces(ctx, set, cfg, r.push, options(cfg, r.start, r.shutdown)...)
}

func createMetrics(ctx context.Context, set exporter.Settings, config component.Config) (exporter.Metrics, error) {
	cfg := config.(*Config)
	r, err := newRendezvous(set, cfg, metrics)
	if err != nil {
		return nil, err
	}
	return exporterhelper.NewMetrics(ctx, set, cfg, r.push, options(inOrder(cfg), r.start, r.shutdown)...)
}

func createLogs(ctx context.Context, set exporter.Settings, config component.Config) (exporter.Logs, error) {
	cfg := config.(*Config)
	r, err := newRendezvous(set, cfg, logs)
	if err != nil {
		return nil, err
	}
	return exporterhelper.NewLogs(ctx, set, cfg, r.push, options(cfg, r.start, r.shutdown)...)
}

// inOrder returns the configuration for metrics: a batch is sent when the batch before it was taken
// or refused. With more consumers batches overtake each other, and a consumer of deltas drops the
// points that come late.
func inOrder(cfg *Config) *Config {
	ordered := *cfg
	if queue := cfg.SendingQueue.Get(); queue != nil {
		one := *queue
		one.NumConsumers = 1
		ordered.SendingQueue = configoptional.Some(one)
	}
	return &ordered
}

// options returns the exporterhelper options. exporterhelper queues and retries, before endpoints are
// chosen.
func options(cfg *Config, start component.StartFunc, shutdown component.ShutdownFunc) []exporterhelper.Option {
	return []exporterhelper.Option{
		exporterhelper.WithStart(start),
		exporterhelper.WithShutdown(shutdown),
		exporterhelper.WithTimeout(exporterhelper.TimeoutConfig{Timeout: cfg.Timeout}),
		exporterhelper.WithRetry(cfg.RetryOnFailure),
		exporterhelper.WithQueue(cfg.SendingQueue),
		exporterhelper.WithCapabilities(capabilities(cfg)),
	}
}

// capabilities returns whether batches are changed. With a queue parts are moved out of a batch, which
// nobody else uses any more. Without one the sender may still have the batch: parts are moved out of it only
// if it is not shared, and an error has them all, so that the sender can send them again.
func capabilities(cfg *Config) consumer.Capabilities {
	return consumer.Capabilities{MutatesData: cfg.SendingQueue.HasValue()}
}
