// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

func deduplicatingConfig() *Config {
	cfg := defaultConfig()
	cfg.DedupWindow = new(10 * time.Second)
	return cfg
}

// TestConcurrentDuplicates: of records that many senders send at the same time, one
// each goes out, with its ids.
func TestConcurrentDuplicates(t *testing.T) {
	p, sink := start(t, deduplicatingConfig())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 50 {
				ld := batch(20, 3, func(r plog.LogRecord) { r.Body().SetStr(textWithIDs) })
				for j, r := range ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
					r.SetTimestamp(pcommon.Timestamp(1 + 20*i + j))
				}
				assert.NoError(t, p.ConsumeLogs(t.Context(), ld))
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 50*20, sink.LogRecordCount())
	for _, ld := range sink.AllLogs() {
		for _, r := range ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
			assert.Equal(t, traceID, r.TraceID())
			assert.Equal(t, spanID, r.SpanID())
		}
	}
}

// tuft is a batch with one record of TuFT. One of its handlers adds the place in the code.
func tuft(hasCode bool, change func(plog.ResourceLogs, plog.LogRecord)) plog.Logs {
	ld := batch(1, 0, func(r plog.LogRecord) {
		r.Body().SetStr("Future enqueued")
		r.SetTimestamp(1795395187273863168)
		if hasCode {
			r.Attributes().PutStr("code.file.path", "/opt/tuft/futures.py")
			r.Attributes().PutInt("code.line.number", 13)
		}
	})
	rl := ld.ResourceLogs().At(0)
	rl.Resource().Attributes().PutStr("service.name", "tuft")
	rl.ScopeLogs().At(0).Scope().SetName("tuft.server")
	if change != nil {
		change(rl, rl.ScopeLogs().At(0).LogRecords().At(0))
	}
	return ld
}

// A pack's window removes what another handler has sent, whatever comes first. Equal records of one
// handler are different events.
func TestHandlersOfPacks(t *testing.T) {
	f := func(name string, want int, batches ...plog.Logs) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			for _, together := range []bool{false, true} {
				p, sink := start(t, defaultConfig())
				all := plog.NewLogs()
				for _, ld := range batches {
					sent := plog.NewLogs()
					ld.CopyTo(sent)
					if together {
						sent.ResourceLogs().MoveAndAppendTo(all.ResourceLogs())
					} else {
						require.NoError(t, p.ConsumeLogs(t.Context(), sent))
					}
				}
				if together {
					require.NoError(t, p.ConsumeLogs(t.Context(), all))
				}
				assert.Equal(t, want, sink.LogRecordCount(), "together: %v", together)
			}
		})
	}
	with, without := tuft(true, nil), tuft(false, nil)
	f("two handlers", 1, without, with)
	f("in the other order", 1, with, without)
	f("one handler twice", 2, with, with)
	f("the other twice", 2, without, without)
	f("two equal events", 2, without, with, without, with)
	f("two equal events, one handler after the other", 2, without, without, with, with)
	f("two events, and a record is missing", 2, with, with, without)
	f("two scopes", 1, with, tuft(true, func(rl plog.ResourceLogs, _ plog.LogRecord) { rl.ScopeLogs().At(0).Scope().SetName("opentelemetry") }))
	f("another time", 2, with, tuft(false, func(_ plog.ResourceLogs, r plog.LogRecord) { r.SetTimestamp(1795395187273863169) }))
	f("no time", 2, tuft(true, func(_ plog.ResourceLogs, r plog.LogRecord) { r.SetTimestamp(0) }), tuft(false, func(_ plog.ResourceLogs, r plog.LogRecord) { r.SetTimestamp(0) }))
	f("another body", 2, with, tuft(false, func(_ plog.ResourceLogs, r plog.LogRecord) { r.Body().SetStr("Future begin") }))
	f("another span", 2, with, tuft(false, func(_ plog.ResourceLogs, r plog.LogRecord) { r.SetSpanID(spanID) }))
	f("another process", 2, with, tuft(false, func(rl plog.ResourceLogs, _ plog.LogRecord) { rl.Resource().Attributes().PutInt("process.pid", 2) }))
	other := func(rl plog.ResourceLogs, _ plog.LogRecord) {
		rl.Resource().Attributes().PutStr("service.name", "shop")
		rl.ScopeLogs().At(0).Scope().SetName("shop")
	}
	f("another system", 2, tuft(true, other), tuft(false, other))
	many := make([]plog.Logs, 40)
	for i := range many {
		many[i] = with
	}
	f("many of one handler", 40, many...)
}
