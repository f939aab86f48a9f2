// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

const sourcesPack = `
system: shop
owns: {resource: {k: [v*, v]}, scopes: [shop], metrics: [zzz, shop_*], spans: [zzz, '^Checkout ']}
metrics:
  rename: {orders: tc_orders_taken, taken: tc_taken}
  prefixes: {shop_: tc_shop_, shop_x_: tc_x_}
  units: {orders: '{order}', s: s}
  also: [{match: taken, name: copy.a}, {match: order, name: copy.b}, {match: orders, name: COPY.b}, {match: orders, name: tc_c}]
  gauges: [{match: tc_a, aggregate: sum}, {match: shop_b, aggregate: max}]
  rules:
    - {match: '^unit_', unit: s}
    - {match: '^(?P<n>.*)_named$', rename: 'tc_{n}'}
    - {match: 'order', unit: '1'}
spans:
  components:
    services: [{match: a.*, component: A}, {match: b.*, component: B}]
    scopes: [{match: s*, component: S}]
    default: D
  rules:
    - {match: '^(?P<part>.*) first$', component: '{part}', operation: X}
    - {match: 'first$', component: F, operation: X}
attributes:
  - {key: a, rename: tc.b, type: int}
  - {key: tc.b, id: true}
`

func TestSources(t *testing.T) {
	pack, err := conventions.Parse("shop.yaml", []byte(sourcesPack))
	require.NoError(t, err)
	common, err := conventions.Parse("common.yaml", []byte("system: common\nowns: {all: true}\nmetrics: {rename: {extra: tc_extra}}\nattributes: [{key: a, sensitive: redact}]\n"))
	require.NoError(t, err)
	n := New([]*conventions.Pack{pack, common}, Options{Prefix: "tc_"})
	shop := n.Systems()[0]
	f := func(got []Source, want string) {
		t.Helper()
		var keys []string
		for _, s := range got {
			keys = append(keys, s.System.Name()+strings.NewReplacer("[", ".", "]", "", " ", ".").Replace(fmt.Sprint(s.Key)))
		}
		assert.Equal(t, want, strings.Join(keys, " "))
	}
	attr := func(key string) (string, bool) { return "v", key == "k" }
	f(n.OwnerSources(n.Owner(attr, "shop"), attr, "shop"), "shop.owns.resource.k.0 shop.owns.resource.k.1 shop.owns.scopes.0")
	f(n.OwnerSources(nil, attr, "shop"), "")

	f(n.MetricSources(nil, "shop_y"), "shop.owns.metrics.1 shop.metrics.prefixes.shop_")
	f(n.MetricSources(nil, "orders"), "")
	f(n.MetricSources(nil, "extra"), "common.metrics.rename.extra")
	f(n.MetricSources(shop, "extra"), "common.metrics.rename.extra")
	f(n.MetricSources(shop, "shop_x_y"), "shop.metrics.prefixes.shop_x_")
	f(n.MetricSources(shop, "orders"), "shop.metrics.rules.2 shop.metrics.rename.orders")
	f(n.MetricSources(shop, "unit_a"), "shop.metrics.rules.0")
	f(n.MetricSources(shop, "a_named"), "shop.metrics.rules.1")
	f(n.MetricSources(shop, "_named"), "shop.metrics.rules.1")
	f(n.MetricSources(shop, "other"), "")
	f(n.UnitSources(shop, "orders"), "shop.metrics.units.orders")
	f(n.UnitSources(shop, "s"), "")
	f(n.GaugeSources(shop, "x", "tc_a"), "shop.metrics.gauges.0")
	f(n.GaugeSources(shop, "shop_b", "tc_b"), "shop.metrics.gauges.1")
	f(n.GaugeSources(nil, "shop_b", "tc_b"), "")

	d := n.Metric(shop, "orders")
	copies := n.Copies(&d, "orders")
	require.Len(t, copies, 2)
	f([]Source{copies[0].Source, copies[1].Source}, "shop.metrics.also.1 shop.metrics.also.3")
	assert.Equal(t, []string{"copy.b", "tc_c"}, []string{copies[0].Name, copies[1].Name})

	ctx := Context{Owner: shop}
	f(n.SpanSources(Context{}, Facts{}, "Checkout 1"), "shop.owns.spans.1 shop.spans.components.default")
	f(n.SpanSources(ctx, Facts{}, "Till/Open"), "")
	f(n.SpanSources(ctx, Facts{}, "big first"), "shop.spans.rules.0")
	f(n.SpanSources(ctx, Facts{}, "4711 first"), "shop.spans.rules.1")
	f(n.SpanSources(ctx, Facts{Attribute: "b.Till"}, "Open"), "shop.spans.components.services.1")
	f(n.SpanSources(ctx, Facts{}, "/a.Till/Open"), "shop.spans.components.services.0")
	f(n.SpanSources(Context{Owner: shop, Scope: "sx"}, Facts{}, "Open"), "shop.spans.components.scopes.0")
	f(n.SpanSources(ctx, Facts{}, "Till::open"), "")

	f(n.AttributeSources(shop, "a"), "shop.attributes.0 common.attributes.0 shop.attributes.1")
	f(n.AttributeSources(nil, "a"), "common.attributes.0")
	f(n.AttributeSources(shop, "tc.b"), "shop.attributes.1")
}

// A decision by a pack's rule has a source, and no other decision about a name has one.
func FuzzMetricSources(f *testing.F) {
	packs, err := conventions.Load(nil)
	require.NoError(f, err)
	n := New(packs, Options{Prefix: "tc_", Exempt: DefaultExempt})
	for _, name := range []string{"tensorcast_memory_tier_faults_per_sec", "tuft.training.tokens_per_second", "fastdeploy:zmq:latency", "fastdeploy:a_rate_3", "infer_latency", "x", ""} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, owner := range n.Owners() {
			d := n.Metric(owner, name)
			named := false
			for _, s := range n.MetricSources(owner, name) {
				require.Len(t, s.Key, 3)
				named = named || s.Key[1] == "rename" || s.Key[1] == "prefixes" || s.Key[1] == "rules"
			}
			if d.Rule == MetricRename || d.Rule == MetricPrefix || len(d.Repairs) > 0 {
				assert.True(t, named, "%q is decided by %s", name, d.Rule)
			}
			if d.Rule == Exempt {
				assert.False(t, named, "%q is exempt", name)
			}
		}
	})
}
