// SPDX-License-Identifier: Apache-2.0

package pipetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/extension/extensiontest"

	"github.com/otelcol-tc/otelcol-tc/extension/conventionsextension"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// Host is a host with a conventions extension.
type Host struct {
	extensions map[component.ID]component.Component
}

// GetExtensions implements component.Host.
func (h *Host) GetExtensions() map[component.ID]component.Component { return h.extensions }

// NewHost returns a host whose conventions extension has the settings of a YAML text.
func NewHost(ctx context.Context, text []byte) (*Host, error) {
	factory := conventionsextension.NewFactory()
	config := factory.CreateDefaultConfig()
	if err := unmarshal(text, config); err != nil {
		return nil, err
	}
	extension, err := factory.Create(ctx, extensiontest.NewNopSettings(factory.Type()), config)
	if err != nil {
		return nil, err
	}
	return &Host{map[component.ID]component.Component{component.NewID(factory.Type()): extension}}, nil
}

// hostOf returns the host of a case. Without a file for the conventions extension it has no extension.
func hostOf(ctx context.Context, dir string) (component.Host, error) {
	path := filepath.Join(dir, conventionsFile)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return componenttest.NewNopHost(), nil
	}
	if err != nil {
		return nil, err
	}
	host, err := NewHost(ctx, content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return host, nil
}

// unmarshal reads and validates settings as the collector does.
func unmarshal(text []byte, config component.Config) error {
	retrieved, err := confmap.NewRetrievedFromYAML(text)
	if err != nil {
		return err
	}
	conf, err := retrieved.AsConf()
	if err != nil {
		return err
	}
	if err := conf.Unmarshal(config); err != nil {
		return err
	}
	return confmap.Validate(config)
}

// live is a conventions extension with a policy that a test changes.
type live struct {
	component.StartFunc
	component.ShutdownFunc
	policy *policy.Live
}

// Live implements policy.Extension.
func (l live) Live() *policy.Live { return l.policy }

// HostOf returns a host whose conventions extension has a policy.
func HostOf(l *policy.Live) component.Host {
	return &Host{map[component.ID]component.Component{component.MustNewID("conventions"): live{policy: l}}}
}
