// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"fmt"
	"testing"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/health"
)

// sink accepts every batch at once.
type sink struct{}

func (sink) send(context.Context, ptrace.Traces) health.Reply {
	return health.Reply{Verdict: health.Accepted, Answered: true}
}

func (sink) close() error { return nil }

// BenchmarkTraces sends batches of 1000 spans of 100 traces in 10 resources. All spans have eight
// attributes.
func BenchmarkTraces(b *testing.B) {
	for _, n := range []int{1, 2, 5, 10} {
		b.Run(fmt.Sprintf("endpoints=%d", n), func(b *testing.B) {
			r := newRig(n)
			for _, e := range r.endpoints {
				e.client = sink{}
			}
			batch := benchmarkTraces()
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				sent := ptrace.NewTraces()
				batch.CopyTo(sent)
				b.StartTimer()
				if err := r.deliver(sent); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/span")
		})
	}
}

func benchmarkTraces() ptrace.Traces {
	batch := ptrace.NewTraces()
	for r := range 10 {
		rs := batch.ResourceSpans().AppendEmpty()
		for i := range 8 {
			rs.Resource().Attributes().PutStr(fmt.Sprintf("resource.attribute.%d", i), fmt.Sprintf("value %d of %d", i, r))
		}
		spans := rs.ScopeSpans().AppendEmpty().Spans()
		for s := range 100 {
			span := spans.AppendEmpty()
			span.SetName("GlobalStore/HealthCheck")
			span.SetTraceID(xxh3.HashString128(fmt.Sprint(s)).Bytes())
			for i := range 8 {
				span.Attributes().PutStr(fmt.Sprintf("span.attribute.%d", i), fmt.Sprintf("value %d", i))
			}
		}
	}
	return batch
}
