// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// NewFactory returns the factory of the correlation_index extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(metadata.Type, createDefaultConfig, create, metadata.ExtensionStability)
}

func create(_ context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	config := configured{cfg.(*Config), correlation.NewHashKey(string(cfg.(*Config).HashKey))}
	if config.config.Backend == backendRedis {
		return &shared{configured: config, set: set, telemetry: telemetry}, nil
	}
	return &memory{configured: config, set: set, telemetry: telemetry}, nil
}
