// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const fanIn = `
rules:
  - name: gather
    topology: fan_in
    from: {span_name: Producer/Put, key: {span_attribute: job.key}}
    to: {span_name: Consumer/Get, key: {span_attribute: job.key}}
`

// Of 200 that come together 16 are linked, always the same, and 184 are counted.
func TestFanInOfTwoHundred(t *testing.T) {
	var first map[pair]bool
	rng := rand.New(rand.NewPCG(1, 2))
	keys := make([]any, 200)
	for i := range keys {
		keys[i] = fmt.Sprint("message-", i)
	}
	for round := range 12 {
		r := newRig(t, rigSettings{processor: fanIn})
		own := round%2 == 1 // each message has a key of its own, and the consumer has all
		var specs []spec
		for i, key := range keys {
			if !own {
				key = "batch"
			}
			specs = append(specs, put(uint64(i+1), key))
		}
		rng.Shuffle(len(specs), func(i, j int) { specs[i], specs[j] = specs[j], specs[i] })
		consumer := get(500, "batch")
		if own {
			consumer = get(500, keys)
		}
		if round < 6 {
			specs = append(specs, consumer)
			r.send(t, specs...)
		} else {
			r.send(t, specs...)
			r.send(t, consumer)
		}
		var span ptrace.Span
		for _, s := range r.sink.take() {
			if s.SpanID() == spanOf(500) {
				span = s
			} else {
				assert.Zero(t, s.Links().Len())
			}
		}
		pairs, _ := derived(t, []ptrace.Span{span})
		assert.Equal(t, 16, span.Links().Len())
		assert.EqualValues(t, 184, span.DroppedLinksCount())
		if first == nil {
			first = pairs
		}
		assert.Equal(t, first, pairs)
		assert.Equal(t, map[string]int64{"gather": 184}, r.counts("capped"))
		assert.Equal(t, map[string]int64{"gather": 16}, r.counts("matched"))
	}
}

// A span has 128 links at most, its own counted.
func TestLinksInAll(t *testing.T) {
	for own, want := range map[int]int{100: 116, 120: 128, 128: 128, 200: 200} {
		r := newRig(t, rigSettings{processor: fanIn})
		var specs []spec
		for i := range uint64(20) {
			specs = append(specs, put(i+1, "k"))
		}
		specs = append(specs, get(500, "k", func(s *spec) {
			s.Edit = func(span ptrace.Span) {
				for i := range own {
					span.Links().AppendEmpty().SetSpanID(spanOf(uint64(1000 + i)))
				}
			}
		}))
		r.send(t, specs...)
		span := r.sink.take()[20]
		assert.Equal(t, want, span.Links().Len())
		assert.EqualValues(t, 20-(want-own), span.DroppedLinksCount())
	}
}

// A link that another collector derived counts among the 16, and is not derived again.
func TestLinkedTwice(t *testing.T) {
	r := newRig(t, rigSettings{processor: fanIn})
	var specs []spec
	for i := range uint64(20) {
		specs = append(specs, put(i+1, "k"))
	}
	r.send(t, append(specs, get(500, "k"))...)
	first := r.sink.take()
	again := ptrace.NewTraces()
	for _, span := range first {
		span.CopyTo(again.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	}
	require.NoError(t, r.ConsumeTraces(t.Context(), again))
	for i, span := range r.sink.take() {
		assert.Equal(t, first[i].Links().Len(), span.Links().Len())
	}
}

// A key with too many members links nothing, and other keys are linked as before.
func TestPoisonedKeys(t *testing.T) {
	r := newRig(t, handoff(""))
	const all = 1000
	for i := range uint64(all) {
		r.send(t, put(i+10, "k"))
	}
	r.sink.take()
	r.send(t, put(1, "own"), get(2, "own"), get(3, "k"))
	pairs, _ := derived(t, r.sink.take())
	assert.Equal(t, onePut, pairs)
	assert.Equal(t, map[string]int64{"handoff": all + 1 - 64}, r.counts("poisoned"))
}

// A poisoned key counts again when the window has passed.
func TestPoisonedKeysRecover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		settings := handoff("")
		settings.index = "window: 1m"
		r := newRig(t, settings)
		for i := range uint64(100) {
			r.send(t, put(i+10, "k"))
		}
		r.send(t, put(1, "k"), get(2, "k"))
		pairs, _ := derived(t, r.sink.take())
		assert.Empty(t, pairs)
		time.Sleep(2 * time.Minute)
		r.send(t, put(1, "k"), get(2, "k"))
		pairs, _ = derived(t, r.sink.take())
		assert.Equal(t, onePut, pairs)
	})
}
