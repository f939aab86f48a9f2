// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const directionRules = `
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

// A span whose start was never set, or is of a clock that counts from boot, has no place in time. It
// is linked to nothing, waits for nobody, and does not change what becomes of other spans. If all of
// these come within the hold, in whatever order, each link is on the later span.
func TestSpansFrom1970(t *testing.T) {
	from1970 := func(at time.Duration) func(*spec) {
		return func(s *spec) {
			edit := s.Edit
			s.Edit = func(span ptrace.Span) {
				if edit != nil {
					edit(span)
				}
				span.SetStartTimestamp(pcommon.Timestamp(at))
			}
		}
	}
	for _, at := range []time.Duration{0, time.Second, 24 * time.Hour} {
		for rule, pairs := range map[string]map[pair]bool{
			"waiting": {{1, 2}: true, {2, 3}: true, {3, 4}: true},
			"time":    {{1, 2}: true, {2, 3}: true, {3, 4}: true},
			"star":    {{1, 2}: true, {1, 3}: true, {1, 4}: true},
			"fan_in":  {{1, 4}: true, {2, 4}: true, {3, 4}: true},
		} {
			permute([]int{0, 1, 2, 3}, func(order []int) {
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, rigSettings{processor: directionRules})
					for i, stage := range order {
						for j, wrong := range []int{0, 1, 2, 3} {
							s := stageSpan(rule, 0, wrong)
							s.Number = uint64(100 + 10*i + j)
							from1970(at + time.Duration(i))(&s)
							r.send(t, s)
						}
						assert.Len(t, wrongOnes(r.sink.spans), 4*(i+1), "they do not wait")
						r.send(t, stageSpan(rule, 0, stage))
						time.Sleep(time.Second)
					}
					time.Sleep(time.Minute)
					synctest.Wait()
					got, edges := derived(t, r.sink.take())
					require.Equal(t, pairs, got, "%s, %v", rule, order)
					requireNoCycle(t, edges)
					for p := range pairs {
						require.Contains(t, edges, edge{p.Later, p.Earlier}, "%s, %v: a link points forward", rule, order)
					}
				})
			})
		}
	}
}

func wrongOnes(spans []ptrace.Span) (all []ptrace.Span) {
	for _, span := range spans {
		if span.StartTimestamp() < 1e18 {
			all = append(all, span)
		}
	}
	return all
}
