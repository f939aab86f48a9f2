// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"

	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// Policy returns what the components of a collector go by: the settings of the configurations' conventions extension, or
// the defaults. Packs replace the packs of the configurations.
func Policy(ctx context.Context, providers []confmap.ProviderFactory, packs, configs []string) (*policy.Config, error) {
	c := policy.NewDefaultConfig()
	if len(configs) > 0 {
		conf, err := resolve(ctx, providers, configs)
		if err != nil {
			return nil, err
		}
		if c, err = policy.Used(conf); err != nil {
			return nil, err
		}
		if c, _, err = c.Read(); err != nil {
			return nil, err
		}
	}
	if len(packs) > 0 {
		c.Packs = nil
		for _, entry := range packs {
			c.Packs = append(c.Packs, entry)
		}
	}
	return c, c.Validate()
}

// resolve returns the settings of configurations that are merged as the collector does.
func resolve(ctx context.Context, providers []confmap.ProviderFactory, uris []string) (*confmap.Conf, error) {
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{URIs: uris, ProviderFactories: providers, DefaultScheme: "env"})
	if err != nil {
		return nil, err
	}
	conf, err := resolver.Resolve(ctx)
	return conf, errors.Join(err, resolver.Shutdown(ctx))
}
