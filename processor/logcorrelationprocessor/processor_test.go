// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
)

func defaultConfig() *Config { return createDefaultConfig().(*Config) }

// one returns a batch of one record.
func one(fill func(plog.LogRecord)) plog.Logs { return batch(1, fill) }

func only(ld plog.Logs) plog.LogRecord {
	return ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
}

const (
	otherTrace = "0af7651916cd43dd8448eb211c80319c"
	otherSpan  = "b7ad6b7169203331"
)

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, createDefaultConfig) }

const (
	traceHex = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanHex  = "00f067aa0ba902b7"
)

var (
	traceID = pcommon.TraceID{0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36}
	spanID  = pcommon.SpanID{0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7}
)

const textWithIDs = "2026-11-21T10:00:00.000000000+08:00 I tid=4100 store_daemon_service.cc:412 trace_id=" + traceHex +
	" span_id=" + spanHex + " MaterializeReplicaV2 artifact=a-1 device=0"

func batch(n int, fill func(plog.LogRecord)) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", "tuft")
	all := rl.ScopeLogs().AppendEmpty().LogRecords()
	for i := range n {
		record := all.AppendEmpty()
		record.SetTimestamp(pcommon.Timestamp(i + 1))
		fill(record)
	}
	return ld
}
