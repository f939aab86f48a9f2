// SPDX-License-Identifier: Apache-2.0

package conventionsextension

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-tc/otelcol-tc/extension/conventionsextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// TestFilesThatChange checks that changed files are applied or refused as a whole, and that what is refused is shown
// until it is mended.
func TestFilesThatChange(t *testing.T) {
	folder := t.TempDir()
	settings, pack := filepath.Join(folder, "conventions.yaml"), filepath.Join(folder, "shop.yaml")
	write := func(path, text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	write(settings, "mode: audit\npacks: [shop.yaml, tuft]\n")
	write(pack, "system: shop\nowns: {metrics: [shop_*]}\n")

	telemetry := componenttest.NewTelemetry()
	t.Cleanup(func() { require.NoError(t, telemetry.Shutdown(context.Background())) })
	factory := NewFactory()
	cfg := factory.CreateDefaultConfig().(*policy.Config)
	cfg.Settings = settings
	require.NoError(t, cfg.Validate())
	set := extension.Settings{ID: component.NewID(metadata.Type), TelemetrySettings: telemetry.NewTelemetrySettings()}
	core, logged := observer.New(zap.ErrorLevel)
	set.Logger = zap.New(core, zap.AddStacktrace(zap.ErrorLevel))
	e, err := factory.Create(t.Context(), set, cfg)
	require.NoError(t, err)
	c := e.(*conventions)
	t.Cleanup(func() { require.NoError(t, c.Shutdown(t.Context())) })
	poll := func() { c.reloader.poll(t.Context()) }

	first := c.Reloads()
	require.Len(t, first.Files, 2)
	assert.Equal(t, 1, first.Generation)
	poll()
	assert.Equal(t, first, c.Reloads(), "nothing has changed")

	write(settings, "mode: enforce\npacks: [shop.yaml, tuft]\nservices:\n  old: {mode: audit}\n")
	poll()
	assert.Equal(t, 2, c.Reloads().Generation)
	assert.False(t, c.live.Policy().Audit("shop"))
	assert.True(t, c.live.Policy().Audit("old"))
	assert.NotEqual(t, first.Files, c.Reloads().Files)

	// Neither of two files is applied if one has a fault.
	write(settings, "mode: audit\npacks: [shop.yaml, tuft]\n")
	write(pack, "system: shop\nowns: {metrics: [shop_*]}\nmetric: {}\n")
	poll()
	refused := c.Reloads()
	assert.Equal(t, 2, refused.Generation)
	assert.Contains(t, refused.Refused, pack+":3: ")
	assert.False(t, c.live.Policy().Audit("shop"))
	poll()
	assert.Equal(t, refused, c.Reloads(), "it is refused once")

	write(pack, "system: shop\nowns: {metrics: [shop_*]}\nlogs: {formats: [{name: shop, lines: ['{severity} shop {body}']}]}\n")
	poll()
	mended := c.Reloads()
	assert.Equal(t, 3, mended.Generation)
	assert.Empty(t, mended.Refused)
	require.Len(t, mended.Restart, 1)
	assert.Contains(t, mended.Restart[0], "logs.formats")
	assert.True(t, c.live.Policy().Audit("shop"))

	// The log has all faults in one line, and no stack.
	write(settings, "mode: strict\nprefix: TC\n")
	poll()
	entry := logged.All()[logged.Len()-1]
	assert.Empty(t, entry.Stack)
	assert.Regexp(t, `^\S+:1: mode: .*; \S+:2: prefix: .*$`, entry.ContextMap()["error"])
	write(settings, "mode: audit\npacks: [shop.yaml, tuft]\n")
	poll()

	// What reads or compiles files may panic, and the collector goes on.
	assert.EqualError(t, recovered(func() error { panic("a bug") }), "cannot be used: a bug")

	// A file that is gone takes nothing with it.
	require.NoError(t, os.Remove(pack))
	poll()
	assert.Contains(t, c.Reloads().Refused, "no such file")
	assert.Len(t, c.live.Policy().Packs(), 2)

	count, err := telemetry.GetMetric("otelcol_conventions_reloads")
	require.NoError(t, err)
	counts := map[string]int64{}
	for _, point := range count.Data.(metricdata.Sum[int64]).DataPoints {
		outcome, _ := point.Attributes.Value("outcome")
		counts[outcome.AsString()] = point.Value
	}
	assert.Equal(t, map[string]int64{"applied": 3, "refused": 3}, counts)
}
