// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// handOvers are requests in which some of the spans put jobs into a queue and as many get
// them. Every other job was put by the request before.
type handOvers struct {
	batch ptrace.Traces
	keys  []pcommon.Value
	spans []ptrace.Span
	sent  int
}

func newHandOvers(attributes, pairs int) *handOvers {
	h := &handOvers{batch: ptrace.NewTraces()}
	h.add("serve", "MaterializeReplica", ptrace.SpanKindServer, spansOfBatch-2*pairs, attributes)
	h.add("scheduler", "Producer/Put", ptrace.SpanKindProducer, pairs, attributes)
	h.add("worker", "Consumer/Get", ptrace.SpanKindConsumer, pairs, attributes)
	return h
}

// add adds the spans of a service. Keys are where the attributes of jobs have them: in the
// third place.
func (h *handOvers) add(service, name string, kind ptrace.SpanKind, spans, attributes int) {
	rs := h.batch.ResourceSpans().AppendEmpty()
	for _, key := range []string{"service.namespace", "service.instance.id", "host.name", "deployment.environment.name"} {
		rs.Resource().Attributes().PutStr(key, "value")
	}
	rs.Resource().Attributes().PutStr("service.name", service)
	to := rs.ScopeSpans().AppendEmpty().Spans()
	for range spans {
		span := to.AppendEmpty()
		span.SetName(name)
		span.SetKind(kind)
		h.spans = append(h.spans, span)
		span.Attributes().EnsureCapacity(attributes) // values do not move
		for i := range attributes {
			switch {
			case i == 2 && kind != ptrace.SpanKindServer:
				h.keys = append(h.keys, span.Attributes().PutEmpty("job.key"))
			case i%4 == 3:
				span.Attributes().PutInt(fmt.Sprintf("number.of.span.%d", i), int64(i))
			default:
				span.Attributes().PutStr(fmt.Sprintf("attribute.of.span.%d", i), "a value of it")
			}
		}
	}
}

// next is another request, just decoded.
func (h *handOvers) next() ptrace.Traces {
	h.sent++
	now := pcommon.NewTimestampFromTime(time.Now())
	for i, span := range h.spans {
		n := uint64(h.sent*spansOfBatch + i)
		span.SetTraceID(traceOf(n / 8 * 0x9e3779b97f4a7c15))
		span.SetSpanID(spanOf(n * 0x9e3779b97f4a7c15))
		span.SetStartTimestamp(now + pcommon.Timestamp(i*20_000))
		span.SetEndTimestamp(now + pcommon.Timestamp(i*30_000))
	}
	pairs := len(h.keys) / 2
	for pair := range pairs {
		put, got := h.sent*pairs+pair, h.sent*pairs+pair
		if pair%2 == 1 {
			got -= pairs
		}
		h.keys[pair].SetStr(jobKey(put))
		h.keys[pairs+pair].SetStr(jobKey(got))
	}
	body, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(h.batch)
	if err != nil {
		panic(err)
	}
	td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(body)
	if err != nil {
		panic(err)
	}
	return td
}

func jobKey(n int) string { return fmt.Sprintf("3f2504e04f8941d3%016x", uint64(n)*0x9e3779b97f4a7c15) }

// fill gives the index more members than it has room for.
func fill(b *testing.B, index correlation.Index) {
	visits := make([]correlation.Request, spansOfBatch)
	for n := uint64(0); n < 96<<20/64; {
		for i := range visits {
			n++
			key := correlation.Key{Hi: n * 0x9e3779b97f4a7c15, Lo: n * 0xd1342543de82ef95}
			visits[i] = correlation.Request{Key: key, Op: correlation.Join, Limit: 2, Member: correlation.Member{SpanID: spanOf(n)}}
		}
		require.NoError(b, index.Do(b.Context(), visits, func(int, correlation.Result) {}))
	}
}

// BenchmarkDecoded passes spans on that have just been decoded, by an index that is full.
// Only the processor's time is reported, and of the requests the lower quartile, since Go's
// collector is at work beside it.
func BenchmarkDecoded(b *testing.B) {
	for _, attributes := range []int{5, 10} {
		for _, pairs := range []int{0, spansOfBatch / 20, spansOfBatch / 2} {
			b.Run(fmt.Sprintf("%d attributes/%d %% keyed", attributes, (200*pairs+spansOfBatch/2)/spansOfBatch), func(b *testing.B) {
				index := newBenchmarkIndex(b)
				fill(b, index.(correlation.Index))
				p := newBenchmarkedWith(b, index, pairRule)
				requests := newHandOvers(attributes, pairs)
				b.ReportAllocs()
				var took []time.Duration
				for b.Loop() {
					td := requests.next()
					began := time.Now()
					_ = p.ConsumeTraces(b.Context(), td)
					took = append(took, time.Since(began))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/4].Nanoseconds())/spansOfBatch, "ns/span")
			})
		}
	}
}
