// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/metadata"
)

// drawn is a trace and a span id, other ones for each number.
func drawn(n int) (traceHex, spanHex string) {
	var trace pcommon.TraceID
	var span pcommon.SpanID
	r := rand.NewPCG(1, uint64(n))
	binary.BigEndian.PutUint64(trace[:8], r.Uint64())
	binary.BigEndian.PutUint64(trace[8:], r.Uint64())
	binary.BigEndian.PutUint64(span[:], r.Uint64())
	return trace.String(), span.String()
}

// decodedKinds are the nth records of a decoded request.
var decodedKinds = []struct {
	name string
	fill func(record plog.LogRecord, n int)
}{
	{"attribute", func(record plog.LogRecord, n int) {
		record.Body().SetStr(textWithoutIDs)
		traceKey, spanKey := "trace_id", "span_id"
		if n%2 == 0 {
			traceKey, spanKey = "otelTraceID", "otelSpanID"
		}
		trace, span := drawn(n)
		record.Attributes().PutStr("severity", "I")
		record.Attributes().PutStr(traceKey, trace)
		record.Attributes().PutStr(spanKey, span)
	}},
	{"text", func(record plog.LogRecord, n int) {
		trace, span := drawn(n)
		record.Body().SetStr([...]string{
			fmt.Sprintf("2026-11-21T10:00:00.%09d+08:00 I tid=%d chunk_receiver.cc:97 trace_id=%s span_id=%s chunk %d received", n, 4100+n%8, trace, span, n),
			fmt.Sprintf("INFO 11-21 10:00:00 [grpc-worker-%d] trace_id=%s span_id=%s transport_rpc_handler.py:141: transport tr-%08d granted", n%8, trace, span, n),
			fmt.Sprintf("2026-11-21 10:00:00,000 INFO [tuft.futures] [futures.py:88] [trace_id=%s span_id=%s resource.service.name=tuft trace_sampled=True] - Future %d enqueued", trace, span, n),
		}[n%3])
	}},
	{"none", func(record plog.LogRecord, n int) { record.Body().SetStr(fmt.Sprintf("%d %s", n, textWithoutIDs)) }},
}

// BenchmarkDecoded passes records on that have just been decoded, each with ids of
// its own: not all of it is in the caches. Only the processor's time is reported, and
// of the requests the median, since Go's collector is at work beside it.
func BenchmarkDecoded(b *testing.B) {
	for _, attributes := range []int{5, 10} {
		for _, kind := range decodedKinds {
			b.Run(fmt.Sprintf("%d attributes/%s", attributes, kind.name), func(b *testing.B) {
				n := 0
				request, err := (&plog.ProtoMarshaler{}).MarshalLogs(batch(records, attributes, func(record plog.LogRecord) {
					n++
					kind.fill(record, n)
				}))
				require.NoError(b, err)
				p, err := NewFactory().CreateLogs(b.Context(), processortest.NewNopSettings(metadata.Type), createDefaultConfig(), consumertest.NewNop())
				require.NoError(b, err)
				require.NoError(b, p.Start(b.Context(), componenttest.NewNopHost()))
				b.ReportAllocs()
				var took []time.Duration
				for b.Loop() {
					ld, _ := (&plog.ProtoUnmarshaler{}).UnmarshalLogs(request)
					began := time.Now()
					_ = p.ConsumeLogs(b.Context(), ld)
					took = append(took, time.Since(began))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/records, "ns/record")
			})
		}
	}
}
