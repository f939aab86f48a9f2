// SPDX-License-Identifier: Apache-2.0

package readinessextension

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"

	"github.com/otelcol-tc/otelcol-tc/extension/readinessextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/httpserver"
)

const defaultEndpoint = "127.0.0.1:13134"

// NewFactory returns the factory of the readiness extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(metadata.Type, defaultConfig, create, metadata.ExtensionStability)
}

// defaultConfig returns the server's defaults, which mdatagen cannot express.
func defaultConfig() component.Config {
	cfg := createDefaultConfig().(*Config)
	cfg.HTTP = httpserver.NewDefaultConfig()
	cfg.HTTP.ServerConfig.NetAddr.Endpoint = defaultEndpoint
	return cfg
}

func create(_ context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	return newReadiness(set, cfg.(*Config), telemetry), nil
}
