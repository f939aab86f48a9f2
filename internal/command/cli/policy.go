// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.opentelemetry.io/collector/component"
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
		if err := unmarshal(conf, c); err != nil {
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

func unmarshal(conf *confmap.Conf, c *policy.Config) error {
	section, id, err := find(conf)
	if err != nil || section == nil {
		return err
	}
	if err := section.Unmarshal(c); err != nil {
		return fmt.Errorf("extensions::%s: %w", id, err)
	}
	return nil
}

// find returns the settings of the conventions extension that the service has, or nil.
func find(conf *confmap.Conf) (section *confmap.Conf, id string, err error) {
	all, err := conf.Sub("extensions")
	if err != nil {
		return nil, "", err
	}
	var used []any
	if service, err := conf.Sub("service"); err == nil {
		used, _ = service.Get("extensions").([]any)
	}
	settings := all.ToStringMap()
	var ids []string
	for id := range settings {
		var parsed component.ID
		if parsed.UnmarshalText([]byte(id)) == nil && parsed.Type().String() == "conventions" && slices.Contains(used, any(id)) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, "", nil
	}
	id = slices.Min(ids)
	if settings[id] == nil {
		return confmap.New(), id, nil
	}
	section, err = all.Sub(id)
	return section, id, err
}
