// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// audited runs a test of a processor with a conventions extension.
func audited(t *testing.T, cfg *Config, conventions string, f func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		host, err := pipetest.NewHost(t.Context(), []byte(conventions))
		require.NoError(t, err)
		f(t, newRigWith(t, cfg, nil, host.GetExtensions()))
	})
}

// fromTwo returns a batch with the same records of an audited service and of another one: one that comes
// twice, one that states its ids, and one that waits for its span.
func fromTwo(t *testing.T) plog.Logs {
	t.Helper()
	ld := plog.NewLogs()
	for _, service := range []string{"old", "new"} {
		rl := ld.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr("service.name", service)
		records := rl.ScopeLogs().AppendEmpty().LogRecords()
		for range 2 {
			record := records.AppendEmpty()
			record.SetTimestamp(1)
			record.Body().SetStr("twice")
			record.Attributes().PutStr("trace_id", "0102030405060708090a0b0c0d0e0f10")
		}
		withJob("one")(records.AppendEmpty())
	}
	return ld
}

// TestAuditOfOneService checks that records of an audited service keep their place and every byte, while
// those of the other service lose duplicates, get ids and are held.
func TestAuditOfOneService(t *testing.T) {
	cfg := holdingConfig()
	window := 10 * time.Second
	cfg.DedupWindow = &window
	audited(t, cfg, "services: {old: {mode: audit}}", func(t *testing.T, r *rig) {
		require.NoError(t, r.p.ConsumeLogs(t.Context(), fromTwo(t)))
		require.Len(t, r.got(), 1)
		out := r.got()[0]
		require.Equal(t, 2, out.ResourceLogs().Len())
		assert.Equal(t, marshalOne(t, fromTwo(t), 0), marshalOne(t, out, 0))
		enforced := out.ResourceLogs().At(1).ScopeLogs().At(0).LogRecords()
		require.Equal(t, 1, enforced.Len())
		assert.False(t, enforced.At(0).TraceID().IsEmpty())

		r.span("job", "one", 1, 11, map[string]any{})
		pass(time.Second)
		require.Len(t, r.got(), 2, "the held record of the other service")
		assert.Equal(t, [2]int{1, 11}, ids(r.records()[4]))
		counted := r.counted()
		assert.Equal(t, int64(2), counted["duplicates"])
		assert.Equal(t, int64(1), counted["held"])
		assert.Equal(t, int64(2), counted["enriched attribute"])
		assert.Equal(t, int64(1), counted["unresolved"], "of the audited service")
	})
}

// TestAuditedRecordsAreWitnesses checks that an audited record with ids is in the index, for other services.
func TestAuditedRecordsAreWitnesses(t *testing.T) {
	audited(t, indexConfig(), "mode: audit", func(t *testing.T, r *rig) {
		record := func(record plog.LogRecord) {
			record.Body().SetStr("Future enqueued: 7")
			record.SetTraceID(traceOf(1))
			record.SetSpanID(spanOfNumber(11))
		}
		got, ok := r.send(record)
		require.True(t, ok)
		assert.Equal(t, [2]int{1, 11}, ids(got))
		assert.Equal(t, int64(1), r.counted()["witnesses"])
	})
}

// marshalOne returns the bytes of one resource of a batch.
func marshalOne(t *testing.T, ld plog.Logs, i int) string {
	t.Helper()
	one := plog.NewLogs()
	ld.ResourceLogs().At(i).CopyTo(one.ResourceLogs().AppendEmpty())
	text, err := (&plog.JSONMarshaler{}).MarshalLogs(one)
	require.NoError(t, err)
	return string(text)
}
