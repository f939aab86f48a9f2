// SPDX-License-Identifier: Apache-2.0

package opampreport

import (
	"context"
	"errors"
	"fmt"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/opampcustommessages"
	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/opampextension"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/redact"
)

// agent has what the service and other extensions use of the opamp extension.
type agent interface {
	extension.Extension
	extensioncapabilities.ConfigWatcher
	extensioncapabilities.Dependent
	extensioncapabilities.PipelineWatcher
	componentstatus.Watcher
	opampcustommessages.CustomCapabilityRegistry
}

// redacted is an opamp extension that reports no secrets.
type redacted struct {
	agent
	reportsHealth bool
}

// NotifyConfig implements extensioncapabilities.ConfigWatcher.
func (r redacted) NotifyConfig(ctx context.Context, conf *confmap.Conf) error {
	return r.agent.NotifyConfig(ctx, redact.Conf(conf))
}

// ComponentStatusChanged implements componentstatus.Watcher. The agent waits forever for a status that it does not
// report.
func (r redacted) ComponentStatusChanged(source *componentstatus.InstanceID, event *componentstatus.Event) {
	if r.reportsHealth {
		r.agent.ComponentStatusChanged(source, redactedEvent(event))
	}
}

// redactedEvent returns an event without the secrets of its error.
func redactedEvent(event *componentstatus.Event) *componentstatus.Event {
	if event.Err() == nil {
		return event
	}
	text := redact.Setting("", event.Err().Error())
	if text == event.Err().Error() {
		return event
	}
	return componentstatus.NewEvent(event.Status(), componentstatus.WithError(errors.New(text)), componentstatus.WithAttributes(event.Attributes()))
}

// describe removes the secrets from what describes the agent, and reports whether the agent reports its health.
func describe(set *extension.Settings, cfg component.Config) (component.Config, bool) {
	resource := pcommon.NewResource()
	set.Resource.CopyTo(resource)
	for name, value := range resource.Attributes().All() {
		value.SetStr(redact.Setting(name, value.AsString()))
	}
	set.Resource = resource
	given, ok := cfg.(*opampextension.Config)
	if !ok {
		return cfg, true
	}
	described := *given
	described.AgentDescription.NonIdentifyingAttributes = map[string]string{}
	for name, text := range given.AgentDescription.NonIdentifyingAttributes {
		described.AgentDescription.NonIdentifyingAttributes[name] = redact.Setting(name, text)
	}
	return &described, given.Capabilities.ReportsHealth
}

// NewFactory returns a factory of the same extension that reports no secrets.
func NewFactory(opamp extension.Factory) extension.Factory {
	create := func(ctx context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
		cfg, reportsHealth := describe(&set, cfg)
		created, err := opamp.Create(ctx, set, cfg)
		if err != nil {
			return nil, err
		}
		reporter, ok := created.(agent)
		if !ok {
			return nil, fmt.Errorf("%s: %T does not report its configuration", set.ID, created)
		}
		return redacted{reporter, reportsHealth}, nil
	}
	return extension.NewFactory(opamp.Type(), opamp.CreateDefaultConfig, create, opamp.Stability())
}
