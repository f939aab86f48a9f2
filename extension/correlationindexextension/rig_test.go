// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/extensiontest"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// with returns the default settings, changed.
func with(change func(*Config)) *Config {
	cfg := createDefaultConfig().(*Config)
	change(cfg)
	return cfg
}

// startIndex starts an index that is shut down when the test ends.
func startIndex(t testing.TB, cfg *Config, host component.Host) correlation.Index {
	t.Helper()
	require.NoError(t, cfg.Validate())
	e, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), host))
	t.Cleanup(func() { assert.NoError(t, e.Shutdown(context.WithoutCancel(t.Context()))) })
	return e.(correlation.Index)
}

func startMemory(t testing.TB, change func(*Config)) *memory {
	return startIndex(t, with(change), componenttest.NewNopHost()).(*memory)
}

// bed is an index whose time a test can let pass.
type bed struct {
	correlation.Index
	pass func(time.Duration) // lets time pass
}

// onBoth runs a test against both backends.
func onBoth(t *testing.T, window time.Duration, test func(*testing.T, bed)) {
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			test(t, bed{startMemory(t, func(cfg *Config) { cfg.Window = window }), time.Sleep})
		})
	})
	t.Run("redis", func(t *testing.T) {
		s := startServer(t)
		test(t, bed{startShared(t, s.Address, func(cfg *Config) { cfg.Window = window }), s.pass})
	})
}
