// SPDX-License-Identifier: Apache-2.0

package conventionsextension

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"

	"github.com/otelcol-tc/otelcol-tc/extension/conventionsextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// NewFactory returns the factory of the conventions extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(metadata.Type, createDefaultConfig, create, metadata.ExtensionStability)
}

func createDefaultConfig() component.Config { return policy.NewDefaultConfig() }

func create(_ context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
	config := *cfg.(*policy.Config)
	_, files, err := config.Read()
	if err != nil {
		return nil, err
	}
	reloader, err := newReloader(config, files, set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	p, err := policy.New(config)
	if err != nil {
		reloader.telemetry.Shutdown()
		return nil, err
	}
	live := policy.NewLive(p)
	reloader.begin(live)
	return &conventions{live: live, reloader: reloader}, nil
}
