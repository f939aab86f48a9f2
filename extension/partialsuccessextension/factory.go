// SPDX-License-Identifier: Apache-2.0

package partialsuccessextension

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"

	"github.com/otelcol-tc/otelcol-tc/extension/partialsuccessextension/internal/metadata"
)

// Config is empty: the extension has no settings.
type Config struct{}

// NewFactory returns the factory of the partial_success extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(metadata.Type, createDefaultConfig, create, metadata.ExtensionStability)
}

func createDefaultConfig() component.Config { return &Config{} }

func create(_ context.Context, set extension.Settings, _ component.Config) (extension.Extension, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	return &counter{telemetry: telemetry}, nil
}
