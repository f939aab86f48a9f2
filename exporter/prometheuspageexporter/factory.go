// SPDX-License-Identifier: Apache-2.0

package prometheuspageexporter

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"

	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/httpserver"
)

const defaultEndpoint = "localhost:9464"

// NewFactory returns the factory of the Prometheus page exporter.
func NewFactory() exporter.Factory {
	return exporter.NewFactory(metadata.Type, defaultConfig,
		exporter.WithMetrics(createMetrics, metadata.MetricsStability))
}

// defaultConfig adds the server's defaults, which mdatagen cannot express.
func defaultConfig() component.Config {
	cfg := createDefaultConfig().(*Config)
	cfg.ServerConfig = httpserver.NewDefaultConfig()
	cfg.ServerConfig.ServerConfig.NetAddr.Endpoint = defaultEndpoint
	return cfg
}

// createMetrics creates an exporter without a queue: points that wait are not on the page.
func createMetrics(ctx context.Context, set exporter.Settings, config component.Config) (exporter.Metrics, error) {
	cfg := config.(*Config)
	e, err := newExporter(set, cfg)
	if err != nil {
		return nil, err
	}
	return exporterhelper.NewMetrics(ctx, set, cfg, e.consume,
		exporterhelper.WithStart(e.start),
		exporterhelper.WithShutdown(e.shutdown))
}
