// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The forms of copies.
func TestAlso(t *testing.T) {
	pack, err := Parse("mine.yaml", []byte(`
system: shop
owns: {all: true}
metrics:
  rename:
    orders: tc_orders
  also:
    - {match: '^shop_wait$', name: gen_ai.wait, attributes: {model: gen_ai.request.model}, set: {kind: a}, unit: ms, convert: s}
    - {match: '^shop_rest$', name: rest}
    - {match: '^shop_sold$', name: sold, where: {how: cash}, set: {kind: a}}
    - {match: '^shop_sold$', name: sold, where: {how: card}, set: {kind: b}}
    - {match: '^shop_sold$', name: sold, set: {kind: c}}
`))
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"orders": "tc_orders"}, pack.Metrics.Rename)
	assert.Equal(t, map[string]string{"how": "cash"}, pack.Metrics.Also[2].Where)
	assert.Equal(t, map[string]string{"model": "gen_ai.request.model"}, pack.Metrics.Also[0].Attributes)
}
