// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"encoding/hex"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
)

func TestMemoryIsEstimated(t *testing.T) {
	// A long text counts wherever it is.
	long := hex.EncodeToString(make([]byte, 5000))
	for name, fill := range map[string]func(plog.LogRecord){
		"body":      func(r plog.LogRecord) { r.Body().SetStr(long) },
		"bytes":     func(r plog.LogRecord) { r.Body().SetEmptyBytes().FromRaw([]byte(long)) },
		"attribute": func(r plog.LogRecord) { r.Attributes().PutStr("a", long) },
		"key":       func(r plog.LogRecord) { r.Attributes().PutInt(long, 1) },
		"severity":  func(r plog.LogRecord) { r.SetSeverityText(long) },
		"event":     func(r plog.LogRecord) { r.SetEventName(long) },
		"inner":     func(r plog.LogRecord) { r.Body().SetEmptyMap().PutEmptySlice("a").AppendEmpty().SetStr(long) },
	} {
		record := plog.NewLogRecord()
		fill(record)
		assert.InDelta(t, len(long)+recordBytes, sizeOf(record), 200, name)
	}
}

// TestMemoryOfHeldRecords: what is held takes about what it is said to take.
func TestMemoryOfHeldRecords(t *testing.T) {
	f := func(name string, perBatch int, fill func(plog.LogRecord)) {
		t.Helper()
		cfg := holdingConfig()
		cfg.MaxHeldRecords, cfg.MaxHeldMib = 1_000_000, 8
		inBubble(t, cfg, func(t *testing.T, r *rig) {
			before := heap()
			for r.counted()["released overflow"] == 0 {
				for range 100 {
					require.NoError(t, r.p.ConsumeLogs(t.Context(), decoded(t, batch(perBatch, 0, fill))))
				}
				synctest.Wait()
			}
			r.mu.Lock()
			r.batches = nil
			r.mu.Unlock()
			took := float64(heap()-before) / (8 << 20)
			t.Logf("%s: %d records take %.2f of what is said", name, r.counted()["holding"], took)
			assert.Less(t, took, 1.3)
			assert.Greater(t, took, 0.5)
		})
	}
	text := func(record plog.LogRecord) {
		withJob("6c1f9d1e-0b7a-4d2f-9a55-5be9a1f4c001")(record)
		record.Body().SetStr(textWithoutIDs)
	}
	f("texts", 100, text)
	f("batches of one", 1, text)
	f("attributes", 100, func(record plog.LogRecord) {
		text(record)
		for i := range 20 {
			record.Attributes().PutInt(fmt.Sprint("attribute.number", i), int64(i))
		}
	})
	f("structures", 100, func(record plog.LogRecord) {
		withJob("one")(record)
		body := record.Body().SetEmptyMap()
		for i := range 50 {
			body.PutEmptyMap(fmt.Sprint(i)).PutStr("a", "b")
		}
	})
}

// decoded is a batch as a receiver gets it.
func decoded(t testing.TB, ld plog.Logs) plog.Logs {
	t.Helper()
	read, err := (&plog.ProtoUnmarshaler{}).UnmarshalLogs([]byte(written(t, ld)))
	require.NoError(t, err)
	return read
}

func heap() int {
	for range 3 {
		runtime.GC() // what is in pools goes late
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}
