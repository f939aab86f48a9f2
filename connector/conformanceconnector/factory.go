// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/httpserver"
)

// NewFactory returns the factory of the conformance connector.
func NewFactory() connector.Factory {
	return connector.NewFactory(metadata.Type, defaultConfig,
		connector.WithTracesToMetrics(createTracesToMetrics, metadata.TracesToMetricsStability),
		connector.WithTracesToLogs(createTracesToLogs, metadata.TracesToLogsStability),
		connector.WithMetricsToMetrics(createMetricsToMetrics, metadata.MetricsToMetricsStability),
		connector.WithMetricsToLogs(createMetricsToLogs, metadata.MetricsToLogsStability),
		connector.WithLogsToMetrics(createLogsToMetrics, metadata.LogsToMetricsStability),
		connector.WithLogsToLogs(createLogsToLogs, metadata.LogsToLogsStability))
}

// defaultConfig returns the defaults. mdatagen cannot express those of the page, which are confighttp's.
func defaultConfig() component.Config {
	cfg := createDefaultConfig().(*Config)
	cfg.Page = configoptional.Default(httpserver.NewDefaultConfig())
	return cfg
}

func createTracesToMetrics(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Metrics) (connector.Traces, error) {
	return newInstance(set, cfg.(*Config), tracesIn, output{metrics: next}), nil
}

func createTracesToLogs(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Logs) (connector.Traces, error) {
	return newInstance(set, cfg.(*Config), tracesIn, output{logs: next}), nil
}

func createMetricsToMetrics(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Metrics) (connector.Metrics, error) {
	return newInstance(set, cfg.(*Config), metricsIn, output{metrics: next}), nil
}

func createMetricsToLogs(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Logs) (connector.Metrics, error) {
	return newInstance(set, cfg.(*Config), metricsIn, output{logs: next}), nil
}

func createLogsToMetrics(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Metrics) (connector.Logs, error) {
	return newInstance(set, cfg.(*Config), logsIn, output{metrics: next}), nil
}

func createLogsToLogs(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Logs) (connector.Logs, error) {
	return newInstance(set, cfg.(*Config), logsIn, output{logs: next}), nil
}
