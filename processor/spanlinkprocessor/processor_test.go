// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// Audit changes and holds nothing, and counts what enforce would link.
func TestAuditChangesNothing(t *testing.T) {
	settings := handoff(holdFive)
	settings.processor += "mode: audit\n"
	r := newRig(t, settings)
	assert.False(t, r.Capabilities().MutatesData)
	sent := batch(put(1, "k"), get(2, "k"), get(3, "waits for nobody"))
	sent.MarkReadOnly() // what changes it panics
	kept := &consumertest.TracesSink{}
	settings.telemetry = r.telemetry.NewTelemetrySettings()
	p := newProcessor(t, settings, kept)
	require.NoError(t, p.Start(t.Context(), host{defaultIndex: r.index}))
	require.NoError(t, p.ConsumeTraces(t.Context(), sent))
	assert.Equal(t, []ptrace.Traces{sent}, kept.AllTraces())
	assert.Equal(t, map[string]int64{"handoff": 1}, r.counts("matched"))
	require.NoError(t, p.Shutdown(t.Context()))
}

// Two processors that share an index, of which each sees all spans, link alike.
func TestTwoProcessorsOfOneIndex(t *testing.T) {
	r := newRig(t, handoff(""))
	other := &sink{}
	p := newProcessor(t, handoff(""), other)
	require.NoError(t, p.Start(t.Context(), host{defaultIndex: r.index}))
	for _, b := range [][]spec{{get(2, "k")}, {put(1, "k")}, {get(3, "k")}} {
		r.send(t, b...)
		require.NoError(t, p.ConsumeTraces(t.Context(), batch(b...)))
	}
	_, one := derived(t, r.sink.take())
	_, two := derived(t, other.take())
	assert.Equal(t, one, two)
	assert.Len(t, one, 2)
	require.NoError(t, p.Shutdown(t.Context()))
}

// Spans without ids are no reason to fail, and no target of a link.
func TestSpansWithoutIDs(t *testing.T) {
	for _, edit := range []func(ptrace.Span){
		func(span ptrace.Span) { span.SetTraceID([16]byte{}) },
		func(span ptrace.Span) { span.SetSpanID([8]byte{}) },
	} {
		r := newRig(t, handoff(""))
		r.send(t, put(1, "k", func(s *spec) { s.Edit = edit }))
		r.send(t, get(2, "k"))
		pairs, _ := derived(t, r.sink.take())
		assert.Empty(t, pairs)
	}
}

// Senders that send at the same time find each other: of each pair exactly one span has
// the link.
func TestSendersAtTheSameTime(t *testing.T) {
	r := newRig(t, handoff(""))
	const pairs = 2000
	var senders sync.WaitGroup
	for half := range 2 {
		for part := range 4 {
			senders.Go(func() {
				for i := range uint64(pairs) {
					if i%4 != uint64(part) {
						continue
					}
					s := put(2*i+1, fmt.Sprint("k", i))
					if half == 1 {
						s = get(2*i+2, fmt.Sprint("k", i))
					}
					assert.NoError(t, r.ConsumeTraces(t.Context(), batch(s)))
				}
			})
		}
	}
	senders.Wait()
	got, edges := derived(t, r.sink.take())
	assert.Len(t, got, pairs)
	assert.Len(t, edges, pairs)
}

// With trace_ids the index knows every trace, by its lower half.
func TestAllTracesAreRemembered(t *testing.T) {
	settings := handoff("")
	settings.index = "trace_ids: true"
	r := newRig(t, settings)
	r.send(t, spec{Number: 7, Name: "without a key"}, spec{Number: 8, Trace: 7, Name: "without a key"})
	index := r.index.(correlation.Index)
	w := correlation.Writer{HashKey: index.HashKey()}
	found := 0
	require.NoError(t, index.Do(t.Context(), []correlation.Request{{Key: w.KeyOfTrace(traceOf(7))}}, func(_ int, r correlation.Result) {
		for _, m := range r.Members {
			assert.Equal(t, traceOf(7), m.TraceID)
			found++
		}
	}))
	assert.Equal(t, 1, found)
}

// FuzzTraces: whatever comes in, nothing panics, no span is lost, and what it had is as
// it was.
func FuzzTraces(f *testing.F) {
	marshaler := &ptrace.ProtoMarshaler{}
	for _, system := range scenario.Names() {
		generator, err := scenario.New(system, 1, start)
		require.NoError(f, err)
		text, err := marshaler.MarshalTraces(generator.Next(start).Traces)
		require.NoError(f, err)
		f.Add(text)
	}
	for _, specs := range [][]spec{
		{put(1, "k"), get(2, "k"), put(1, "k")},
		{put(1, []any{"a", 1, nil, map[string]any{}}), get(2, "a", in(1), below(1))},
	} {
		text, err := marshaler.MarshalTraces(batch(specs...))
		require.NoError(f, err)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(text)
		if err != nil {
			return
		}
		settings := handoff("    same_trace: always\n")
		settings.conventions = "packs: [messaging]" // whose rules hold no span
		r := newRig(t, settings)
		want := ptrace.NewTraces()
		td.CopyTo(want)
		require.NoError(t, r.ConsumeTraces(t.Context(), td))
		got := r.sink.take()
		i := 0
		for _, rs := range want.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					requireSameButForLinks(t, span, got[i])
					i++
				}
			}
		}
		require.Len(t, got, i)
	})
}

func requireSameButForLinks(t *testing.T, want, got ptrace.Span) {
	t.Helper()
	n := 0
	had := want.Links().Len()
	got.Links().RemoveIf(func(ptrace.SpanLink) bool { n++; return n > had })
	require.LessOrEqual(t, n, max(had, maxLinks))
	got.SetDroppedLinksCount(want.DroppedLinksCount())
	require.Equal(t, marshal(t, want), marshal(t, got))
}

// of gives a span a service.
func of(service string) func(*spec) {
	return func(s *spec) { s.Resource = map[string]any{"service.name": service} }
}

// TestAuditOfOneService checks that spans of an audited service go on at once and without links, and that
// other services' spans are held and linked to them.
func TestAuditOfOneService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		settings := handoff(holdFive)
		settings.conventions = "{packs: [messaging], services: {old: {mode: audit}}}"
		r := newRig(t, settings)
		audited, enforced := get(2, "k", of("old")), get(3, "k", of("new"))
		r.send(t, audited, enforced)
		got := r.sink.take()
		require.Len(t, got, 1, "only the enforced span waits")
		assert.Equal(t, spanOf(2), got[0].SpanID())
		time.Sleep(time.Second)
		// The producer is audited too. The index has it, so that the enforced span finds it.
		r.send(t, put(1, "k", of("old")))
		got = r.sink.take()
		require.Len(t, got, 1)
		assert.Zero(t, got[0].Links().Len())
		time.Sleep(6 * time.Second)
		synctest.Wait()
		got = r.sink.take()
		require.Len(t, got, 1)
		_, edges := derived(t, got)
		assert.Equal(t, map[edge]bool{{3, 1}: true}, edges)
		// A later span of the audited service is counted as matched, and stays as it is.
		late := get(4, "k", of("old"))
		r.send(t, late, put(5, "l", of("new")))
		got = r.sink.take()
		require.Len(t, got, 2)
		want := batch(late).ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		assert.Equal(t, marshal(t, want), marshal(t, got[0]))
		assert.Equal(t, map[string]int64{"handoff": 1}, r.counts("held"))
	})
}
