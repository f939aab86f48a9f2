// SPDX-License-Identifier: Apache-2.0

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

// guarded does nothing: the work was done when it was created.
type guarded struct {
	component.StartFunc
	component.ShutdownFunc
}

// create checks the files. Extensions start in any order, and some open files at their start. All
// extensions are created before that. `otelcol-tc validate` creates none.
func create(ctx context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	g := &guard{config: cfg.(*Config), logger: set.Logger, telemetry: telemetry}
	g.run(ctx)
	return guarded{}, nil
}
