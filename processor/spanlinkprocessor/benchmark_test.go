// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
)

// The benchmarks pass requests of 512 spans through the processor with all built-in
// packs, and report the time of a span.

const spansOfBatch = 512

func newBenchmarked(tb testing.TB, settings string) processor.Traces {
	tb.Helper()
	index, err := newIndex("max_memory_mib: 96\nwindow: 1h")
	require.NoError(tb, err)
	require.NoError(tb, index.Start(context.Background(), componenttest.NewNopHost()))
	tb.Cleanup(func() { require.NoError(tb, index.Shutdown(context.Background())) })
	factory := NewFactory()
	cfg := factory.CreateDefaultConfig()
	require.NoError(tb, configure(settings, cfg))
	p, err := factory.CreateTraces(context.Background(), processortest.NewNopSettings(factory.Type()), cfg, consumertest.NewNop())
	require.NoError(tb, err)
	require.NoError(tb, p.Start(context.Background(), host{defaultIndex: index}))
	tb.Cleanup(func() { require.NoError(tb, p.Shutdown(context.Background())) })
	return p
}

func benchmarkBatch(name string, kind ptrace.SpanKind, attributes int) (ptrace.Traces, ptrace.SpanSlice) {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	for _, key := range []string{"service.name", "service.namespace", "service.instance.id", "host.name", "deployment.environment.name"} {
		rs.Resource().Attributes().PutStr(key, "value")
	}
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	for i := range spansOfBatch {
		span := spans.AppendEmpty()
		span.SetName(name)
		span.SetKind(kind)
		span.SetStartTimestamp(pcommon.NewTimestampFromTime(start))
		for j := range attributes {
			span.Attributes().PutStr(fmt.Sprintf("attribute.of.span.%d", j), "value")
		}
		span.SetSpanID(spanOf(uint64(i + 1)))
	}
	return td, spans
}

func BenchmarkSpanWithoutKey(b *testing.B) {
	for _, kind := range []ptrace.SpanKind{ptrace.SpanKindInternal, ptrace.SpanKindServer} {
		for _, name := range []string{"StoreEngine/LockChunks", "StoreDaemon/EndReplicaFetch"} {
			b.Run(fmt.Sprintf("%s/%s", kind, name), func(b *testing.B) {
				p := newBenchmarked(b, "")
				td, _ := benchmarkBatch(name, kind, 10)
				b.ReportAllocs()
				b.ResetTimer()
				for range b.N / spansOfBatch {
					if err := p.ConsumeTraces(b.Context(), td); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

const pairRule = `
rules: [{name: pair, key: {span_attribute: job.key}, scope: [deployment.environment.name], from: {span_name: Producer/Put}, to: {span_name: Consumer/Get}}]
`

// BenchmarkSpanWithKey: at a million live keys, spans whose keys are new, and spans that
// find one and get a link.
func BenchmarkSpanWithKey(b *testing.B) {
	const live = 1_000_000
	var text [36]byte
	copy(text[:], "0b9c2f6e-7d1a-4c58-9e3f-------------")
	key := func(n uint64) string {
		for i := len(text) - 1; i > 22; i-- {
			text[i] = "0123456789abcdef"[n&15]
			n >>= 4
		}
		return string(text[:])
	}
	produce := func(b *testing.B, p processor.Traces, td ptrace.Traces, spans ptrace.SpanSlice, first, trace uint64) {
		for i, span := range spans.All() {
			n := first + uint64(i)
			span.SetTraceID(traceOf(trace + uint64(i)))
			value, _ := span.Attributes().Get("job.key")
			value.SetStr(key(n))
		}
		b.StartTimer()
		err := p.ConsumeTraces(b.Context(), td)
		b.StopTimer()
		if err != nil {
			b.Fatal(err)
		}
	}
	run := func(b *testing.B, consumes bool) {
		p := newBenchmarked(b, pairRule)
		td, spans := benchmarkBatch("Producer/Put", ptrace.SpanKindInternal, 5)
		for _, span := range spans.All() {
			span.Attributes().PutStr("job.key", "")
		}
		b.ReportAllocs()
		b.StopTimer()
		for n := uint64(0); n < live; n += spansOfBatch {
			produce(b, p, td, spans, n, n+1)
		}
		b.ResetTimer()
		b.StopTimer()
		if consumes {
			for _, span := range spans.All() {
				span.SetName("Consumer/Get")
			}
		}
		next := uint64(live)
		for range b.N / spansOfBatch {
			first := next
			if consumes {
				first = (next * 7919) % (live - spansOfBatch)
				for i, span := range spans.All() {
					span.SetSpanID(spanOf(next + uint64(i)))
					span.Links().RemoveIf(func(ptrace.SpanLink) bool { return true })
				}
			}
			produce(b, p, td, spans, first, next+1)
			next += spansOfBatch
		}
	}
	b.Run("new", func(b *testing.B) { run(b, false) })
	b.Run("linked", func(b *testing.B) { run(b, true) })
}
