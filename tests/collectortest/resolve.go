// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"testing"

	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"

	"github.com/otelcol-tc/otelcol-tc/provider/builtinprovider"
)

// Resolve returns the merged configurations, as the collector reads them in the test's environment.
func Resolve(t testing.TB, uris ...string) *confmap.Conf {
	t.Helper()
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs: uris,
		ProviderFactories: []confmap.ProviderFactory{
			builtinprovider.NewFactory(), envprovider.NewFactory(), fileprovider.NewFactory(),
		},
		DefaultScheme: "env",
	})
	if err != nil {
		t.Fatal(err)
	}
	conf, err := resolver.Resolve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return conf
}
