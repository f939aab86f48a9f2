// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// While gateways are replaced one after the other, each gets a new address, so all pods move. A gateway knows the series
// of those that it had and of those that it gets, until max_stale has passed: about three times its share.
func TestRollout(t *testing.T) {
	n, sent := 10, 50 // nearly as for all
	if divisor() == 1 {
		n, sent = gateways, 500
	}
	current, next, known := startGateways(t, n), startGateways(t, n), make([]map[string]bool, n)
	scrape := func(living []*gateway) {
		t.Run("", func(t *testing.T) {
			sendPods(t, startExporter(t, "rendezvous", addressesOf(living), rendezvous.CreateMetrics), sent)
		})
	}
	take := func() (all int) {
		for i := range known {
			if known[i] == nil {
				known[i] = map[string]bool{}
			}
			current[i].takePods(known[i])
			all += len(known[i])
		}
		return all
	}
	scrape(current)
	first := take()
	for i := range current {
		scrape(slices.Concat(current[:i], current[i+1:]))
		take()
		current[i] = next[i] // the same state, at another address
		scrape(current)
		take()
	}
	grown := float64(take()) / float64(first)
	t.Logf("gateways know %.2f times their share", grown)
	assert.InDelta(t, 2.8, grown, 0.3)
}
