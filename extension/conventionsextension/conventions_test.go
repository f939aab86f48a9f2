// SPDX-License-Identifier: Apache-2.0

package conventionsextension

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.opentelemetry.io/collector/extension/extensiontest"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

func newExtension(t *testing.T, change func(*policy.Config)) extension.Extension {
	t.Helper()
	factory := NewFactory()
	cfg := factory.CreateDefaultConfig().(*policy.Config)
	change(cfg)
	e, err := factory.Create(t.Context(), extensiontest.NewNopSettings(factory.Type()), cfg)
	require.NoError(t, err)
	return e
}

// TestComponentsGetThePolicy checks that a component that asks the host gets the extension's policy.
func TestComponentsGetThePolicy(t *testing.T) {
	e := newExtension(t, func(cfg *policy.Config) { cfg.Prefix = "acme_" })
	there := host{component.MustNewIDWithName("conventions", "mine"): e}
	require.NoError(t, e.Start(t.Context(), there))
	p, err := policy.For(there)
	require.NoError(t, err)
	assert.Equal(t, "acme_", p.Prefix())
	require.NoError(t, e.Shutdown(t.Context()))
}

func TestTwoExtensions(t *testing.T) {
	e := newExtension(t, func(*policy.Config) {})
	there := host{component.MustNewID("conventions"): e, component.MustNewIDWithName("conventions", "mine"): e}
	assert.ErrorContains(t, e.Start(t.Context(), there), "at most one conventions extension (got conventions, conventions/mine)")
}

func TestPacksThatCannotBeLoaded(t *testing.T) {
	factory := NewFactory()
	cfg := factory.CreateDefaultConfig().(*policy.Config)
	cfg.Packs = policy.Packs{"nosuch"}
	_, err := factory.Create(t.Context(), extensiontest.NewNopSettings(factory.Type()), cfg)
	assert.ErrorContains(t, err, `packs[0]: no built-in pack "nosuch"`)
}

// TestReceivers checks that the collector's configuration tells the extension where it gets OTLP, and that
// nothing does so without one.
func TestReceivers(t *testing.T) {
	e := newExtension(t, func(*policy.Config) {}).(*conventions)
	require.NoError(t, e.NotifyConfigSnapshot(t.Context(), extensioncapabilities.NewConfigSnapshot(nil, nil)))
	assert.Empty(t, e.Receivers())
	conf := confmap.NewFromStringMap(map[string]any{
		"receivers": map[string]any{"otlp": map[string]any{"protocols": map[string]any{"http": map[string]any{"endpoint": "127.0.0.1:2"}}}},
		"service":   map[string]any{"pipelines": map[string]any{"logs": map[string]any{"receivers": []any{"otlp"}}}},
	})
	require.NoError(t, e.NotifyConfigSnapshot(t.Context(), extensioncapabilities.NewConfigSnapshot(conf, nil)))
	assert.Equal(t, []conformance.Receiver{{ID: "otlp", Protocol: conformance.OverHTTP, Endpoint: "127.0.0.1:2"}}, e.Receivers())
}
