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
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/metadatatest"
)

const holdFive = "    hold: 5s\n"

func TestSpanWaitsForItsProducer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		telemetry := componenttest.NewTelemetry()
		settings := handoff(holdFive)
		settings.telemetry = telemetry.NewTelemetrySettings()
		r := newRig(t, settings)
		r.send(t, get(2, "k"))
		assert.Empty(t, r.sink.take())
		time.Sleep(4 * time.Second)
		r.send(t, put(1, "k"))
		early := r.sink.take()
		require.Len(t, early, 1)
		assert.Zero(t, early[0].Links().Len(), "the consumer carries the link")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		late := r.sink.take()
		require.Len(t, late, 1)
		pairs, edges := derived(t, late)
		assert.Equal(t, onePut, pairs)
		assert.Equal(t, map[edge]bool{{2, 1}: true}, edges)
		assertCount(t, telemetry, metadatatest.AssertEqualSpanLinkHeld, "handoff", 1)
		_, err := telemetry.GetMetric("otelcol_span_link_unmet")
		assert.Error(t, err)
		r.stop(t)
	})
}

// A span whose producer is there does not wait, nor one whose parent it is.
func TestSpanDoesNotWaitInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, handoff(holdFive))
		defer r.stop(t)
		r.send(t, put(1, "k"))
		r.send(t, get(2, "k"))
		r.send(t, put(3, "l", in(9)), get(4, "l", in(9), below(3)))
		assert.Len(t, r.sink.take(), 4)
	})
}

// A span whose producer never comes goes on once, as it came.
func TestSpanWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		telemetry := componenttest.NewTelemetry()
		settings := handoff(holdFive)
		settings.telemetry = telemetry.NewTelemetrySettings()
		r := newRig(t, settings)
		defer r.stop(t)
		alone := get(2, "k", func(s *spec) { s.Resource = map[string]any{"service.name": "shop"} })
		r.send(t, alone, put(7, "other"))
		time.Sleep(time.Minute)
		synctest.Wait()
		got := r.sink.take()
		require.Len(t, got, 2)
		want := batch(alone).ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		assert.Equal(t, marshal(t, want), marshal(t, got[1]))
		assertCount(t, telemetry, metadatatest.AssertEqualSpanLinkUnmet, "handoff", 1)
	})
}

// Where both stages are described alike, one span may be all there is, unless its key says that there are two.
func TestSpansThatAreCompleteAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		telemetry := componenttest.NewTelemetry()
		r := newRig(t, rigSettings{telemetry: telemetry.NewTelemetrySettings(), processor: `
rules:
  - {name: request, key: {span_attribute: job.key}, from: {}, to: {}, hold: 5s}
  - {name: room, key: {span_attribute: room}, from: {}, to: {}, hold: 5s}
  - {name: log, key: {span_attribute: job.key}, from: {}, same_process: true, split: {room: "*"}, logs: [{body: "job {key}"}]}
`})
		defer r.stop(t)
		room := func(s *spec) { s.Attributes["room"] = "r" }
		r.send(t, get(1, "k"), get(2, "l", room))
		afterwards(r)
		assertCount(t, telemetry, metadatatest.AssertEqualSpanLinkUnmet, "room", 1)
		r.send(t, get(3, "m", room))
		numbers, links := afterwards(r)
		assert.Equal(t, []uint64{3}, numbers)
		assert.Equal(t, 1, links)
		assertCount(t, telemetry, metadatatest.AssertEqualSpanLinkUnmet, "room", 1)
	})
}

// What is held keeps its resource and scope.
func TestHeldSpansKeepTheirOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := &keeper{}
		index, err := newIndex("")
		require.NoError(t, err)
		require.NoError(t, index.Start(t.Context(), componenttest.NewNopHost()))
		p := newProcessor(t, handoff(holdFive), kept)
		require.NoError(t, p.Start(t.Context(), host{defaultIndex: index}))
		service := func(name string) func(*spec) {
			return func(s *spec) { s.Resource = map[string]any{"service.name": name} }
		}
		sent := batch(get(1, "a", service("x")), get(2, "b", service("y")))
		want := ptrace.NewTraces()
		sent.CopyTo(want)
		require.NoError(t, p.ConsumeTraces(t.Context(), sent))
		require.NoError(t, p.Shutdown(context.Background()))
		require.NoError(t, index.Shutdown(context.Background()))
		require.Len(t, kept.got, 1)
		marshaler := &ptrace.ProtoMarshaler{}
		wantText, err := marshaler.MarshalTraces(want)
		require.NoError(t, err)
		gotText, err := marshaler.MarshalTraces(kept.got[0])
		require.NoError(t, err)
		assert.Equal(t, string(wantText), string(gotText))
	})
}

type keeper struct {
	sink
	got []ptrace.Traces
}

func (k *keeper) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	k.got = append(k.got, td)
	return nil
}

// A batch that is refused is not held: its sender has it still.
func TestRefusedBatchesAreNotHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, handoff(holdFive))
		defer r.stop(t)
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
		telemetry := componenttest.NewTelemetry()
		settings := handoff(holdFive)
		settings.telemetry = telemetry.NewTelemetrySettings()
		r := newRig(t, settings)
		r.send(t, get(2, "k"))
		r.sink.answer(consumererror.NewPermanent(errRefused))
		time.Sleep(time.Minute)
		synctest.Wait()
		lost, err := telemetry.GetMetric("otelcol_span_link_lost")
		require.NoError(t, err)
		assert.NotNil(t, lost)
		r.sink.answer(nil)
		r.stop(t)
		assert.Empty(t, r.sink.take())
	})
}

// Twice as many as can be held: all come out, and no more are held than can be.
func TestMoreThanCanBeHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		settings := handoff(holdFive)
		settings.processor += "max_held_spans: 100\n"
		r := newRig(t, settings)
		for i := range uint64(200) {
			r.send(t, get(i+1, i+1))
		}
		synctest.Wait()
		assert.Len(t, r.sink.take(), 100, "the oldest went on")
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Len(t, r.sink.take(), 100)
		r.stop(t)
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

// A span with two keys, of which one is waited for, waits with both: else the pair would
// be linked from both ends.
func TestSpansAreDecidedOnce(t *testing.T) {
	twoRules := handoff("")
	twoRules.processor += `
  - name: waiting
    key: {span_attribute: other.key}
    from: {span_name: Producer/Put}
    to: {span_name: Consumer/Get}
    hold: 5s
`
	both := func(s *spec) { s.Attributes["other.key"] = "o" }
	twoKeys := func(keys ...any) func(*spec) { return func(s *spec) { s.Attributes["job.key"] = keys } }
	f := func(settings rigSettings, want map[pair]bool, batches ...spec) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, settings)
			for _, s := range batches {
				r.send(t, s)
				time.Sleep(time.Second)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			pairs, edges := derived(t, r.sink.take())
			assert.Equal(t, want, pairs)
			assert.Len(t, edges, len(want))
			requireNoCycle(t, edges)
			r.stop(t)
		})
	}
	f(twoRules, onePut, get(2, "k", both), put(1, "k", both))
	f(twoRules, onePut, put(1, "k", both), get(2, "k", both))
	f(handoff(holdFive), map[pair]bool{{1, 3}: true, {2, 3}: true},
		put(1, "k"), get(3, "", twoKeys("k", "l")), put(2, "", twoKeys("k", "l")))
}

// What waits is known to be below its ancestors, also when its batch has gone on.
func TestAncestorsOfHeldSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, rigSettings{processor: `
rules: [{name: steps, topology: chain, key: {span_attribute: job.key}, from: {}, to: {}, hold: 5s}]
`})
		defer r.stop(t)
		between := spec{Number: 3, Trace: 9, Parent: 1, Name: "between"}
		r.send(t, put(1, "k", in(9)), between, get(4, "k", in(9), below(3)))
		time.Sleep(time.Minute)
		synctest.Wait()
		got := r.sink.take()
		assert.Len(t, got, 3)
		pairs, _ := derived(t, got)
		assert.Empty(t, pairs)
	})
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
		r.stop(t)
	})
}
