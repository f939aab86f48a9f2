// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
)

func TestContentIsATextOrAMap(t *testing.T) {
	p := newPolicy(t, "{content: keep, services: {pay*: {content: hash}}}").Content()
	assert.Equal(t, content.Keep, p.Service("x"))
	assert.Equal(t, content.Hash, p.Service("pay-eu"))

	// An entry without content has that of the entry that includes it.
	p = newPolicy(t, "{content: keep, services: {pay*: {content: hash}, pay-eu: {mode: audit}, '*-eu': {mode: audit}}}").Content()
	assert.Equal(t, content.Hash, p.Service("pay-eu"))
	assert.Equal(t, content.Keep, p.Service("shop-eu"))

	p = newPolicy(t, "content: {default: truncate, truncate_bytes: 9, hash_key: k, keys: [my.*], secrets: keep}").Content()
	assert.Equal(t, content.Truncate, p.Service("x"))
	k := p.Key("my.key")
	require.NotNil(t, k.Rule)
	assert.Equal(t, "123456789...[truncated]", p.Replace(k, content.Truncate, "1234567890"))

	assert.Equal(t, content.Redact, newPolicy(t, "{}").Content().Service("x"))
}
