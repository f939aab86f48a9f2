// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/metadata"
)

// The benchmarks pass one request of 512 records through the processor again and
// again, each time without the ids that the pass before has set.

const (
	records = 512

	traceHex = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanHex  = "00f067aa0ba902b7"
)

var (
	traceID = pcommon.TraceID{0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36}
	spanID  = pcommon.SpanID{0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7}
)

// kinds are what the records of a benchmark are.
var kinds = []struct {
	name   string
	fill   func(plog.LogRecord)
	native bool
}{
	{name: "native", native: true, fill: func(record plog.LogRecord) { record.Body().SetStr(textWithoutIDs) }},
	{name: "attribute", fill: func(record plog.LogRecord) {
		record.Body().SetStr(textWithoutIDs)
		record.Attributes().PutStr("otelTraceID", traceHex)
		record.Attributes().PutStr("otelSpanID", spanHex)
		record.Attributes().PutBool("otelTraceSampled", true)
	}},
	{name: "text", fill: func(record plog.LogRecord) { record.Body().SetStr(textWithIDs) }},
	{name: "JSON", fill: func(record plog.LogRecord) { record.Body().SetStr(jsonWithIDs) }},
	{name: "none", fill: func(record plog.LogRecord) { record.Body().SetStr(textWithoutIDs) }},
}

const (
	textWithIDs = "2026-11-21T10:00:00.000000000+08:00 I tid=4100 store_daemon_service.cc:412 trace_id=" + traceHex +
		" span_id=" + spanHex + " MaterializeReplicaV2 artifact=a-1 device=0"
	textWithoutIDs = "GET request for the catalogue of recent orders completed with status 200 after 35 ms, 12 rows read from " +
		"cache and 3 rows from the replica of the primary database in region eu-west"
	jsonWithIDs = `{"time": "2026-11-21T10:00:00Z", "level": "info", "trace_id": "` + traceHex + `", "span_id": "` + spanHex +
		`", "message": "order 4711 was accepted and sent to the warehouse", "user": 42}`
)

func batch(n, attributes int, fill func(plog.LogRecord)) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", "tuft")
	all := rl.ScopeLogs().AppendEmpty().LogRecords()
	for i := range n {
		record := all.AppendEmpty()
		record.SetTimestamp(pcommon.Timestamp(i + 1))
		fill(record)
		for j := record.Attributes().Len(); j < attributes; j++ {
			record.Attributes().PutStr(fmt.Sprintf("tc.attribute.number_%d", j), "value")
		}
	}
	return ld
}

// setNative gives all records the ids of their own that they come with.
func setNative(ld plog.Logs, native bool) {
	for _, record := range ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
		if native {
			record.SetTraceID(traceID)
			record.SetSpanID(spanID)
			record.SetFlags(1)
		} else {
			record.SetTraceID(pcommon.TraceID{})
			record.SetSpanID(pcommon.SpanID{})
			record.SetFlags(0)
		}
	}
}

func BenchmarkLogs(b *testing.B) {
	for _, attributes := range []int{5, 10} {
		for _, kind := range kinds {
			b.Run(fmt.Sprintf("%d attributes/%s", attributes, kind.name), func(b *testing.B) {
				ld := batch(records, attributes, kind.fill)
				p, err := NewFactory().CreateLogs(b.Context(), processortest.NewNopSettings(metadata.Type), createDefaultConfig(), consumertest.NewNop())
				require.NoError(b, err)
				require.NoError(b, p.Start(b.Context(), componenttest.NewNopHost()))
				b.ReportAllocs()
				for b.Loop() {
					setNative(ld, kind.native)
					_ = p.ConsumeLogs(b.Context(), ld)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/record")
			})
		}
	}
}
