// SPDX-License-Identifier: Apache-2.0

package opampreport

import (
	"context"
	"fmt"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/opampcustommessages"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"

	"github.com/otelcol-tc/otelcol-tc/internal/redact"
)

// agent has what the service and other extensions use of the opamp extension.
type agent interface {
	extension.Extension
	extensioncapabilities.ConfigWatcher
	extensioncapabilities.PipelineWatcher
	componentstatus.Watcher
	opampcustommessages.CustomCapabilityRegistry
}

// redacted is an opamp extension that reports no secrets.
type redacted struct{ agent }

// NotifyConfig implements extensioncapabilities.ConfigWatcher.
func (r redacted) NotifyConfig(ctx context.Context, conf *confmap.Conf) error {
	return r.agent.NotifyConfig(ctx, redact.Conf(conf))
}

// NewFactory returns a factory of the same extension that reports no secrets.
func NewFactory(of extension.Factory) extension.Factory {
	create := func(ctx context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
		created, err := of.Create(ctx, set, cfg)
		if err != nil {
			return nil, err
		}
		opamp, ok := created.(agent)
		if !ok {
			return nil, fmt.Errorf("%s: %T does not report its configuration", set.ID, created)
		}
		return redacted{opamp}, nil
	}
	return extension.NewFactory(of.Type(), of.CreateDefaultConfig, create, of.Stability())
}
