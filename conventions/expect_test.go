// SPDX-License-Identifier: Apache-2.0

package conventions

import (
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
