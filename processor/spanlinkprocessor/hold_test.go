// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"

	"github.com/otelcol-tc/otelcol-tc/tests/owntelemetry"
)

const holdFive = "    hold: 5s\n"

// What is held keeps its resource and scope.
func TestHeldSpansKeepTheirOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, kept := newRig(t, rigSettings{}), &consumertest.TracesSink{}
		p := newProcessor(t, handoff(holdFive), kept)
		require.NoError(t, p.Start(t.Context(), host{defaultIndex: r.index}))
		sent := batch(get(1, "a", of("x")), get(2, "b", of("y")))
		want := marshalTraces(t, sent)
		require.NoError(t, p.ConsumeTraces(t.Context(), sent))
		require.NoError(t, p.Shutdown(context.Background()))
		require.Len(t, kept.AllTraces(), 1)
		assert.Equal(t, want, marshalTraces(t, kept.AllTraces()[0]))
	})
}

// A batch that is refused is not held: its sender has it still.
func TestRefusedBatchesAreNotHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, handoff(holdFive))
		r.sink.answer(errRefused)
		specs := []spec{get(2, "k"), put(7, "other")}
		require.ErrorIs(t, r.ConsumeTraces(t.Context(), batch(specs...)), errRefused)
		r.sink.answer(nil)
		r.send(t, specs...)
		r.send(t, put(1, "k"))
		time.Sleep(time.Minute)
		synctest.Wait()
		got := r.sink.take()
		assert.Len(t, got, 3)
		pairs, _ := derived(t, got)
		assert.Equal(t, onePut, pairs)
	})
}

func TestHeldSpansThatAreRefusedForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, handoff(holdFive))
		r.send(t, get(2, "k"))
		r.sink.answer(consumererror.NewPermanent(errRefused))
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.EqualValues(t, 1, owntelemetry.Sum(r.telemetry, "otelcol_span_link_lost"))
		r.sink.answer(nil)
		r.stop(t)
		assert.Empty(t, r.sink.take())
	})
}

// Many senders at once, a next component that refuses at random, and what it refuses is
// sent again: each span comes out as often as it was accepted.
func TestConservation(t *testing.T) { synctest.Test(t, conserves) }

func conserves(t *testing.T) {
	settings := handoff("    hold: 20ms\n")
	settings.processor += "max_held_spans: 50\n"
	r := newRig(t, settings)
	ctx, cancel := context.WithCancel(t.Context())
	var flapping sync.WaitGroup
	flapping.Go(func() {
		for on := true; ctx.Err() == nil; on = !on {
			if on {
				r.sink.answer(errRefused)
			} else {
				r.sink.answer(nil)
			}
			time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond)
		}
		r.sink.answer(nil)
	})
	const senders, each = 4, 300
	var sending sync.WaitGroup
	for sender := range uint64(senders) {
		sending.Go(func() {
			for i := range uint64(each) {
				n := 1 + 2*(sender*each+i)
				specs := []spec{get(n+1, n), put(n, n)}
				if i%3 > 0 {
					specs = specs[:1] // its producer comes never, or later
				}
				for r.ConsumeTraces(t.Context(), batch(specs...)) != nil {
					time.Sleep(time.Millisecond)
				}
				if i%3 == 1 {
					for r.ConsumeTraces(t.Context(), batch(put(n, n))) != nil {
						time.Sleep(time.Millisecond)
					}
				}
			}
		})
	}
	sending.Wait()
	cancel()
	flapping.Wait()
	r.stop(t)
	times := map[any]int{}
	spans := r.sink.take()
	for _, span := range spans {
		times[span.SpanID()]++
		assert.Contains(t, []string{"Producer/Put", "Consumer/Get"}, span.Name(), "what the next component changed in vain is not sent again")
	}
	for id, n := range times {
		assert.Equal(t, 1, n, "%s", id)
	}
	assert.Len(t, times, senders*each*5/3)
	pairs, _ := derived(t, spans)
	assert.Len(t, pairs, senders*each*2/3)
}

// The memory of what is held counts its resources.
func TestHeldResourcesCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		settings := handoff(holdFive)
		settings.processor += "max_held_mib: 16\n"
		r := newRig(t, settings)
		large := func(s *spec) { s.Resource = map[string]any{"large": strings.Repeat("x", 1<<20)} }
		for i := range uint64(50) {
			r.send(t, get(i+1, i+1, large))
		}
		synctest.Wait()
		assert.GreaterOrEqual(t, len(r.sink.take()), 46)
	})
}
