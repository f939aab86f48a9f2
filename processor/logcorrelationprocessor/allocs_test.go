// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog"
)

// TestNothingIsAllocatedPerRecord: a batch of a thousand records allocates as much
// as a batch of ten, wherever their ids are.
func TestNothingIsAllocatedPerRecord(t *testing.T) {
	const runs = 10
	// Against 990 records more. The race detector has a pool forget a walk now and then.
	const noise = 100.0
	cfg := defaultConfig()
	cfg.RemoveSource = true
	p, sink := start(t, cfg)
	perBatch := func(n int, fill func(plog.LogRecord)) float64 {
		batches := make([]plog.Logs, runs+1)
		for i := range batches {
			batches[i] = batch(n, 10, fill)
		}
		next := -1
		return testing.AllocsPerRun(runs, func() {
			next++
			_ = p.ConsumeLogs(t.Context(), batches[next])
			sink.Reset()
		})
	}
	structured := func(r plog.LogRecord) {
		ctx := r.Body().SetEmptyMap().PutEmptyMap("ctx")
		ctx.PutStr("trace_id", traceHex)
		ctx.PutStr("span_id", spanHex)
	}
	fills := map[string]func(plog.LogRecord){"structure": structured}
	for _, kind := range kinds {
		fills[kind.name] = kind.fill
	}
	for name, fill := range fills {
		perBatch(10, fill)
		assert.Less(t, perBatch(1000, fill)-perBatch(10, fill), noise, name)
	}
}

// TestNothingIsAllocatedPerRecordWithAnIndex: nor where the index is asked, and knows
// the span.
func TestNothingIsAllocatedPerRecordWithAnIndex(t *testing.T) {
	const runs = 10
	const noise = 100.0
	pass := startWithIndex(t)
	perBatch := func(n int, fill func(plog.LogRecord), native bool) float64 {
		batches := make([]plog.Logs, runs+1)
		for i := range batches {
			batches[i] = batch(n, 10, fill)
			setNative(batches[i], native)
		}
		next := -1
		return testing.AllocsPerRun(runs, func() {
			next++
			pass(batches[next])
		})
	}
	for _, kind := range indexKinds {
		perBatch(1000, kind.fill, kind.native)
		assert.Less(t, perBatch(1000, kind.fill, kind.native)-perBatch(10, kind.fill, kind.native), noise, kind.name)
	}
}
