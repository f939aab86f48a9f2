// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/otelcol"

	"github.com/otelcol-tc/otelcol-tc/configs"
	"github.com/otelcol-tc/otelcol-tc/provider/builtinprovider"
)

// Every shipped configuration is valid with nothing set in the environment.
func TestShippedConfigurationsAreValid(t *testing.T) {
	unsetVariables(t)
	files, err := fs.Glob(configs.FS, "*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			assert.NoError(t, dryRun(t, "builtin:"+strings.TrimSuffix(file, ".yaml")))
		})
	}
}

// dryRun does what the command validate does: it resolves, unmarshals and
// validates the configuration and builds its pipelines without starting them.
func dryRun(t *testing.T, uri string) error {
	t.Helper()
	collector, err := otelcol.NewCollector(otelcol.CollectorSettings{
		BuildInfo: component.NewDefaultBuildInfo(),
		Factories: components,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{
			ResolverSettings: confmap.ResolverSettings{
				URIs: []string{uri},
				ProviderFactories: []confmap.ProviderFactory{
					builtinprovider.NewFactory(), envprovider.NewFactory(), yamlprovider.NewFactory(),
				},
				DefaultScheme: "env",
			},
		},
	})
	require.NoError(t, err)
	return collector.DryRun(context.Background())
}

// unsetVariables removes what the developer's own shell may set.
func unsetVariables(t *testing.T) {
	t.Helper()
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "OTELCOL_TC_") {
			require.NoError(t, os.Unsetenv(name))
			t.Cleanup(func() { require.NoError(t, os.Setenv(name, value)) })
		}
	}
}
