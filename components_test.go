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

// A user must find the mistake from the message alone: which key, which value.
func TestConfigurationErrorsNameKeyAndValue(t *testing.T) {
	unsetVariables(t)
	f := func(yaml string, wantInError ...string) {
		t.Helper()
		err := dryRun(t, "builtin:dev", "yaml:"+yaml)
		for _, want := range wantInError {
			assert.ErrorContains(t, err, want)
		}
	}
	f("receivers::prometheus::config::scrape_configs: [{job_name: x, scrape_interval: soon}]",
		"receivers", "prometheus", "config", "soon")
	f("exporters::file/traces::flush_intervall: 1s",
		"exporters", "file/traces", "flush_intervall")
	f("exporters::prometheus_page::metric_expiration: 10ms",
		"exporters::prometheus_page", "metric_expiration", "10ms")
	f("service::pipelines::traces::receivers: [zipkin]",
		"service::pipelines::traces", "zipkin")
}

// dryRun does what the command validate does: it resolves, unmarshals and
// validates the configuration and builds its pipelines without starting them.
func dryRun(t *testing.T, uris ...string) error {
	t.Helper()
	collector, err := otelcol.NewCollector(otelcol.CollectorSettings{
		BuildInfo: component.NewDefaultBuildInfo(),
		Factories: components,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{
			ResolverSettings: confmap.ResolverSettings{
				URIs: uris,
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
