package correlationindexextension

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadata"
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
	if config := cfg.(*Config); config.Backend == backendRedis {
		return newShared(set, config, telemetry), nil
	}
	return newMemory(set, cfg.(*Config), telemetry), nil
}
