// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const directionRules = `
packs: [messaging]
rules:
` + waitingChains + `
  - name: star
    key: {span_attribute: star}
    topology: star
    from: {span_name: A}
    to: {span_name: [B, C, D]}
    hold: 10s
  - name: fan_in
    key: {span_attribute: fan_in}
    topology: fan_in
    from: {span_name: [A, B, C]}
    to: {span_name: D}
    hold: 10s
`

// If all spans of a key come within the hold, in whatever order, each link is on the later span.
// A stage waits for the one before it, which may wait itself.
func TestLinksPointBack(t *testing.T) {
	want := map[string]int{"waiting": 3, "time": 3, "star": 3, "fan_in": 3}
	for rule, n := range want {
		t.Run(rule, func(t *testing.T) {
			permute([]int{0, 1, 2, 3}, func(order []int) {
				rng := rand.New(rand.NewPCG(20, uint64(order[0]*100+order[1]*10+order[2])))
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, rigSettings{processor: directionRules})
					defer r.stop(t)
					left := 10 * time.Second
					for _, stage := range order {
						r.send(t, stageSpan(rule, 0, stage))
						if rng.IntN(2) == 0 {
							r.send(t, stageSpan(rule, 0, stage)) // delivered again
						}
						pause := time.Duration(rng.Int64N(int64(left)))
						left -= pause
						time.Sleep(pause)
					}
					time.Sleep(time.Minute)
					synctest.Wait()
					spans := r.sink.take()
					pairs, edges := derived(t, spans)
					assert.Len(t, pairs, n, "%v", order)
					requireNoCycle(t, edges)
					for _, span := range spans {
						for _, link := range span.Links().All() {
							_, forward := link.Attributes().Get(directionKey)
							require.False(t, forward, "%v: %s points forward", order, span.Name())
						}
					}
				})
			})
		})
	}
}
