package storageguardextension

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"

	"github.com/otelcol-tc/otelcol-tc/extension/storageguardextension/internal/metadata"
)

// NewFactory returns the factory of the storage_guard extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(metadata.Type, createDefaultConfig, create, metadata.ExtensionStability)
}

// guarded has nothing to do once it is made.
type guarded struct {
	component.StartFunc
	component.ShutdownFunc
}

// create does all the work. Extensions start in any order, and some open files when they do;
// all are made before the first one starts, and before a component of a pipeline does. A
// collector that validates makes none.
func create(ctx context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	g := &guard{config: cfg.(*Config), logger: set.Logger, telemetry: telemetry}
	g.run(ctx)
	return guarded{}, nil
}
