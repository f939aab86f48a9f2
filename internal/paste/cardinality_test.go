// SPDX-License-Identifier: Apache-2.0

package paste

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
)

const id = "cardinality/shop"

// read returns the settings of the processor that a collector reads from configurations, the later ones pasted over the
// first.
func read(t *testing.T, configs ...string) map[string]any {
	t.Helper()
	for i := range configs {
		configs[i] = "yaml:" + configs[i]
	}
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs: configs, ProviderFactories: []confmap.ProviderFactory{yamlprovider.NewFactory(), envprovider.NewFactory()},
	})
	require.NoError(t, err)
	conf, err := resolver.Resolve(t.Context())
	require.NoError(t, err)
	sub, err := conf.Sub("processors::" + id)
	require.NoError(t, err)
	return sub.ToStringMap()
}

// TestNothingIsLost checks that what is pasted keeps what the processor has, whatever the names are.
func TestNothingIsLost(t *testing.T) {
	const existing = `
processors:
  cardinality/shop:
    limit: 100
    attribute_limits: {route: 5}
    overrides:
      - {metric: "kube_*", limit: 7, drop_attributes: ["$${x}"]}
      - {metric: other, keep_attributes: []}
`
	kube := map[string]any{"metric": "kube_*", "limit": 7, "drop_attributes": []any{"${x}"}}
	other := map[string]any{"metric": "other", "keep_attributes": []any{}}
	c := NewCardinality(id, []any{kube, other})
	require.Equal(t, []any{kube, other}, read(t, existing)["overrides"])
	for _, name := range []string{
		"orders", "a: b", "#x", "x\ny", "- {", "${env:HOME}", "$x", "$$x", "ü", "\u202e", "yes", "1", "<<", "=", "~", "null", "2026-01-01", ".inf", "'", `"`, "\\", "\x00", "a b", strings.Repeat("x", maxWhole),
	} {
		want := func(overrides ...any) map[string]any {
			return map[string]any{"limit": 100, "attribute_limits": map[string]any{"route": 5}, "overrides": overrides}
		}
		drop := map[string]any{"metric": name, "drop_attributes": []any{name}}
		assert.Equal(t, want(drop, kube, other), read(t, existing, c.Drop(name, name)))
		limit := map[string]any{"metric": name, "limit": 9}
		assert.Equal(t, want(limit, kube, other), read(t, existing, c.Limit(name, 9)))

		values := want(kube, other)
		values["attribute_limits"] = map[string]any{"route": 5, name: 9}
		assert.Equal(t, values, read(t, existing, c.LimitValues(name, 9)))
	}
	none := NewCardinality(id, nil)
	assert.Len(t, read(t, none.Limit("orders", 9))["overrides"], 1)
	service := read(t, existing, c.Set("service_limit", 20))
	assert.Equal(t, 20, service["service_limit"])
	assert.Len(t, service["overrides"], 2)
}

// TestNothingIsSelected checks that names which select something else, or nothing, are not pasted.
func TestNothingIsSelected(t *testing.T) {
	var c Cardinality
	for _, name := range []string{"", "*", "a*", "a::b", "\xff", "a\ufffd", strings.Repeat("x", maxWhole+1), strings.Repeat("\x01", maxWhole)} {
		assert.False(t, Selects(name), "%q", name)
		assert.Empty(t, c.Drop(name, "a"), "%q", name)
		assert.Empty(t, c.Drop("a", name), "%q", name)
		assert.Empty(t, c.Limit(name, 1), "%q", name)
		assert.Empty(t, c.LimitValues(name, 1), "%q", name)
	}
	for _, name := range []string{"*", "ns::Class::method"} {
		assert.True(t, Exact(name), "a pack can have it")
	}
}
