// SPDX-License-Identifier: Apache-2.0

package builtinprovider

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"

	"github.com/otelcol-tc/otelcol-tc/configs"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

func TestRetrieveReturnsTheEmbeddedFile(t *testing.T) {
	retrieved, err := newProvider().Retrieve(context.Background(), "builtin:dev", nil)
	require.NoError(t, err)

	got, err := retrieved.AsString()
	require.NoError(t, err)
	want, err := configs.FS.ReadFile("dev.yaml")
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func TestRetrieveRefusesUnknownURIs(t *testing.T) {
	files := fstest.MapFS{
		"gateway.yaml": {Data: []byte("{}")},
		"agent.yaml":   {Data: []byte("{}")},
		"notes.txt":    {Data: []byte("not a configuration")},
	}
	f := func(uri, wantErr string) {
		t.Helper()
		_, err := provider{files: files}.Retrieve(context.Background(), uri, nil)
		assert.EqualError(t, err, wantErr)
	}
	f("builtin:prod", `unknown built-in configuration "prod", known: agent, gateway`)
	f("builtin:", `unknown built-in configuration "", known: agent, gateway`)
	f("builtin:agent.yaml", `unknown built-in configuration "agent.yaml", known: agent, gateway`)
	f("builtin:../agent", `unknown built-in configuration "../agent", known: agent, gateway`)
	f("builtin:/agent", `unknown built-in configuration "/agent", known: agent, gateway`)
	f("builtin", `"builtin" uri is not supported by "builtin" provider`)
	f("file:agent", `"file:agent" uri is not supported by "builtin" provider`)
}

// The test uses the collector's own resolver, so it also checks that the resolver recognises the scheme.
func TestBuiltinMergesWithAFile(t *testing.T) {
	mine := testfiles.Save(t, "my.yaml", "exporters: {debug: {verbosity: detailed}}")
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs: []string{"builtin:dev", mine},
		ProviderFactories: []confmap.ProviderFactory{
			NewFactory(), envprovider.NewFactory(), fileprovider.NewFactory(),
		},
		DefaultScheme: "env",
	})
	require.NoError(t, err)
	conf, err := resolver.Resolve(context.Background())
	require.NoError(t, err)

	assert.Equal(t, "detailed", conf.Get("exporters::debug::verbosity"), "the later file wins")
	assert.Equal(t, "127.0.0.1:9464", conf.Get("exporters::prometheus_page::endpoint"), "the rest stays")
	require.NoError(t, resolver.Shutdown(context.Background()))
}

func TestScheme(t *testing.T) {
	assert.Equal(t, "builtin", newProvider().Scheme())
	assert.NoError(t, newProvider().Shutdown(context.Background()))
}

func newProvider() confmap.Provider {
	return NewFactory().Create(confmap.ProviderSettings{})
}
