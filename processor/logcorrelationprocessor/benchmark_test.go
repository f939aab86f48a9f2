// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"fmt"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// The benchmark passes one request of 512 records through a processor with the built-in rules again
// and again, each time without the ids that the pass before has set.

const (
	records = 512

	traceHex = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanHex  = "00f067aa0ba902b7"
	someUUID = "6c1f9d1e-0b7a-4d2f-9a55-5be9a1f4c001"
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
	{name: "witness", native: true, fill: func(record plog.LogRecord) { record.Body().SetStr("Future enqueued: " + someUUID) }},
	{name: "key in an attribute", fill: func(record plog.LogRecord) {
		record.Body().SetStr(textWithoutIDs)
		record.Attributes().PutStr("tuft.request_id", someUUID)
	}},
	{name: "key in the body", fill: func(record plog.LogRecord) { record.Body().SetStr("Future begin: " + someUUID) }},
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
	const attributes = 5
	for _, kind := range kinds {
		b.Run(kind.name, func(b *testing.B) {
			cfg := defaultConfig()
			cfg.Index = &indexID
			cfg.Hold = hold
			cfg.DedupWindow = new(time.Duration(0))
			r := newRig(b, cfg, nil)
			r.span("tuft.request", someUUID, 1, 11, nil)
			ld := batch(records, attributes, kind.fill)
			b.ReportAllocs()
			for b.Loop() {
				setNative(ld, kind.native)
				_ = r.p.ConsumeLogs(b.Context(), ld)
				r.batches = r.batches[:0]
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/record")
		})
	}
}
