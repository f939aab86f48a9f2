package spilloverconnector

import (
	"context"

	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	tracenoop "go.opentelemetry.io/otel/trace/noop"
)

// inMemory is how many bytes of requests wait in memory to become part of a batch. Senders of more wait.
const inMemory = 64 * mebibyte

// batcherSettings returns the settings of exporterhelper, whose batcher merges and splits requests. Its
// metrics and spans would name an exporter that does not exist.
func batcherSettings(set connector.Settings) exporter.Settings {
	telemetry := set.TelemetrySettings
	telemetry.MeterProvider = metricnoop.NewMeterProvider()
	telemetry.TracerProvider = tracenoop.NewTracerProvider()
	return exporter.Settings{ID: set.ID, TelemetrySettings: telemetry, BuildInfo: set.BuildInfo}
}

// options returns the options of exporterhelper: each request waits until its batches are sent or kept.
// send itself limits the time.
func (s *spillover[T]) options(consumers int, batch exporterhelper.BatchConfig) []exporterhelper.Option {
	return []exporterhelper.Option{
		exporterhelper.WithStart(s.start),
		exporterhelper.WithShutdown(s.shutdown),
		exporterhelper.WithTimeout(exporterhelper.TimeoutConfig{}),
		exporterhelper.WithQueue(configoptional.Some(exporterhelper.QueueBatchConfig{
			WaitForResult:   true,
			BlockOnOverflow: true,
			Sizer:           exporterhelper.RequestSizerTypeBytes,
			QueueSize:       inMemory,
			NumConsumers:    consumers,
			Batch:           configoptional.Some(batch),
		})),
	}
}

// The connectors of the three signals are exporters of exporterhelper that end all attempts before its
// batcher waits for them.
type (
	tracesConnector struct {
		exporter.Traces
		stop func()
	}
	metricsConnector struct {
		exporter.Metrics
		stop func()
	}
	logsConnector struct {
		exporter.Logs
		stop func()
	}
)

func (c *tracesConnector) Shutdown(ctx context.Context) error {
	c.stop()
	return c.Traces.Shutdown(ctx)
}

func (c *metricsConnector) Shutdown(ctx context.Context) error {
	c.stop()
	return c.Metrics.Shutdown(ctx)
}

func (c *logsConnector) Shutdown(ctx context.Context) error {
	c.stop()
	return c.Logs.Shutdown(ctx)
}
