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

func create(_ context.Context, _ extension.Settings, cfg component.Config) (extension.Extension, error) {
	p, err := policy.New(*cfg.(*policy.Config))
	if err != nil {
		return nil, err
	}
	return &conventions{policy: p}, nil
}
