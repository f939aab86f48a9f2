// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExpect(t *testing.T) {
	pack, err := Parse("shop.yaml", []byte("system: shop\nowns: {all: true}\n"+
		"expect: {metrics: ['tc_shop_*'], components: [Till], edges: [{from: Till, to: Warehouse}]}\n"))
	require.NoError(t, err)
	assert.True(t, pack.Expect.Metrics[0].Match("tc_shop_orders"))
	assert.Equal(t, []string{"Till"}, pack.Expect.Components)
	assert.Equal(t, []Edge{{"Till", "Warehouse"}}, pack.Expect.Edges)
}

func TestExpectErrors(t *testing.T) {
	f := func(expect, want string) {
		t.Helper()
		text := "system: shop\nowns: {all: true}\nexpect:\n  " + strings.ReplaceAll(expect, "\n", "\n  ") + "\n"
		_, err := Parse("shop.yaml", []byte(text))
		assert.ErrorContains(t, err, want, expect)
	}
	f("spans: [A]", "shop.yaml:4: pack.expect: additional properties 'spans' not allowed")
	f("metrics: [shop.orders]", `shop.yaml:4: pack.expect.metrics.0: 'shop.orders' does not match pattern`)
	f("metrics: [shop_orders]", `shop.yaml:4: pack.expect.metrics.0: 'shop_orders' does not match pattern`)
	f("components: [till]", `shop.yaml:4: pack.expect.components.0: 'till' does not match pattern`)
	f("edges: [{from: Till}]", "shop.yaml:4: pack.expect.edges.0: missing property 'to'")
	f("metrics:\n- tc_a\n- tc_a", `shop.yaml:6: expect.metrics.1: must be listed once (got "tc_a" again)`)
	f("components: [A, A]", `shop.yaml:4: expect.components.1: must be listed once (got "A" again)`)
	f("edges:\n- {from: A, to: A}", `shop.yaml:5: expect.edges.0: must lead to another component (got "A -> A")`)
	f("edges:\n- {from: A, to: B}\n- {from: A, to: B}", `shop.yaml:6: expect.edges.1: must be listed once (got "A -> B" again)`)
}

// A pack that keeps names expects names of any form.
func TestExpectKeptNames(t *testing.T) {
	pack, err := Parse("shop.yaml", []byte("system: shop\nowns: {metrics: ['Shop_*']}\nnames: keep\nexpect: {metrics: ['Shop_FI_*', 'shop:orders']}\n"))
	require.NoError(t, err)
	assert.Len(t, pack.Expect.Metrics, 2)
}

// Each built-in pack that owns metrics says what a running system sends.
func TestBuiltinPacksExpect(t *testing.T) {
	packs, err := Load([]any{"cadvisor", "dcgm", "fastdeploy", "kube", "node", "pytango", "tensorcast", "tuft"})
	require.NoError(t, err)
	for _, pack := range packs {
		assert.NotZero(t, len(pack.Expect.Metrics)+len(pack.Expect.Components)+len(pack.Expect.Edges), pack.System)
	}
}
