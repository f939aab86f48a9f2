// SPDX-License-Identifier: Apache-2.0

package opampextension

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"

	"github.com/otelcol-tc/otelcol-tc/extension/opampextension/internal/metadata"
)

// NewFactory returns the factory of the opamp extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(metadata.Type, createDefaultConfig, create, metadata.ExtensionStability)
}

func createDefaultConfig() component.Config {
	return &Config{Capabilities: Capabilities{ReportsEffectiveConfig: true, ReportsHealth: true, ReportsAvailableComponents: true}}
}

func create(_ context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
	return newReporter(cfg.(*Config), set)
}
