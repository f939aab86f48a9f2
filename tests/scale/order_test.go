// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// part is a part of a gateway that gives way.
type part struct {
	row              string // of docs/sizing.md
	takes, byDefault float64
	at               float64 // nodes of one gateway
}

// TestWhatGivesWayFirst gives one gateway its share by default, and with what docs/sizing.md says to do.
func TestWhatGivesWayFirst(t *testing.T) {
	const mib = 1 << 20
	assert.InDelta(t, gateways, claim(t, "5000", 7), 0)
	seriesMemory, indexMemory, limit := int(claim(t, "memory of series", 4)), int(claim(t, "index in memory", 4)), int(claim(t, "series of one service", 4))

	byDefault, keys := holdSeries(t, 0, 0), holdKeys(t, 0)
	service, enough, enoughKeys := holdSeries(t, seriesMemory, 0), holdSeries(t, seriesMemory, limit), holdKeys(t, indexMemory)
	for name, h := range map[string]held{"by default": byDefault, "service_limit": service, "enough": enough} {
		t.Logf("%s: %+v", name, h)
		// What is not counted is counted as such.
		assert.InDelta(t, 1, h.grown+h.unknown, 1e-9, name)
	}
	t.Logf("keys: %+v %+v", keys, enoughKeys)
	assert.Positive(t, byDefault.unknown)
	assert.Zero(t, service.unknown)
	assert.Zero(t, service.fullAt)
	assert.Zero(t, enough.mergedAt+enough.fullAt)
	assert.Zero(t, enoughKeys.evicted)

	ofService := float64(podsOfService*seriesOfPod) * nodesOfGateway
	parts := []part{
		{"memory of series", enough.bytes / mib, 128 / 2 * 7 / 8, byDefault.fullAt},
		{"series of one service", ofService, 100_000, service.mergedAt},
		{"index in memory", enoughKeys.bytes / mib, 64, keys.fullAt},
	}
	assert.True(t, slices.IsSortedFunc(parts, func(a, b part) int { return cmp.Compare(a.at, b.at) }), "in the order of the page")
	for _, p := range parts {
		t.Logf("%-21s takes %6.0f, by default %6.0f for %.0f nodes", p.row, p.takes, p.byDefault, p.at)
		assert.InEpsilon(t, claim(t, p.row, 1), p.takes, 0.1, p.row)
		assert.InEpsilon(t, claim(t, p.row, 2), p.byDefault, 0.01, p.row)
		assert.InEpsilon(t, claim(t, p.row, 3), p.at, 0.1, p.row)
	}
	if collectortest.Measures() {
		assert.Less(t, enough.heap, 1.1*enough.bytes)
		assert.Less(t, enoughKeys.heap, 1.1*enoughKeys.bytes)
	}
}
