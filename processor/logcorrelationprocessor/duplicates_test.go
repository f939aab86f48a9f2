// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/metadata"
)

func deduplicatingConfig() *Config {
	cfg := defaultConfig()
	cfg.DedupWindow = new(10 * time.Second)
	return cfg
}

// TestWhatTellsRecordsApart changes one thing of the second of two equal records.
func TestWhatTellsRecordsApart(t *testing.T) {
	f := func(change func(plog.ResourceLogs, plog.LogRecord), wantBoth bool) {
		t.Helper()
		p, sink := start(t, deduplicatingConfig())
		ld := plog.NewLogs()
		for range 2 {
			batch(1, 3, func(r plog.LogRecord) { r.Body().SetStr("x") }).ResourceLogs().MoveAndAppendTo(ld.ResourceLogs())
		}
		second := ld.ResourceLogs().At(1)
		change(second, second.ScopeLogs().At(0).LogRecords().At(0))
		require.NoError(t, p.ConsumeLogs(t.Context(), ld))
		assert.Equal(t, wantBoth, sink.LogRecordCount() == 2)
		assert.Equal(t, sink.LogRecordCount(), sink.AllLogs()[0].ResourceLogs().Len())
	}
	f(func(plog.ResourceLogs, plog.LogRecord) {}, false)
	f(func(rl plog.ResourceLogs, _ plog.LogRecord) { rl.ScopeLogs().At(0).Scope().SetName("other") }, false)
	f(func(_ plog.ResourceLogs, r plog.LogRecord) { r.SetObservedTimestamp(7) }, false)
	f(func(_ plog.ResourceLogs, r plog.LogRecord) { r.Attributes().PutInt("code.line.number", 7) }, false)
	f(func(_ plog.ResourceLogs, r plog.LogRecord) { // another order
		r.Attributes().Remove("tc.attribute.number_0")
		r.Attributes().PutStr("tc.attribute.number_0", "value")
	}, false)

	f(func(rl plog.ResourceLogs, _ plog.LogRecord) { rl.Resource().Attributes().PutStr("host.name", "b") }, true)
	f(func(_ plog.ResourceLogs, r plog.LogRecord) { r.SetTimestamp(2) }, true)
	f(func(_ plog.ResourceLogs, r plog.LogRecord) { r.SetTimestamp(0) }, true)
	f(func(_ plog.ResourceLogs, r plog.LogRecord) { r.SetSeverityNumber(9) }, true)
	f(func(_ plog.ResourceLogs, r plog.LogRecord) { r.SetSeverityText("INFO") }, true)
	f(func(_ plog.ResourceLogs, r plog.LogRecord) { r.SetEventName("x") }, true)
	f(func(_ plog.ResourceLogs, r plog.LogRecord) { r.SetTraceID(traceID) }, true)
	f(func(_ plog.ResourceLogs, r plog.LogRecord) { r.SetSpanID(spanID) }, true)
	f(func(_ plog.ResourceLogs, r plog.LogRecord) { r.SetFlags(1) }, true)
	f(func(_ plog.ResourceLogs, r plog.LogRecord) { r.Attributes().PutStr("x", "y") }, true)
	f(func(_ plog.ResourceLogs, r plog.LogRecord) { r.Attributes().PutInt("tc.attribute.number_0", 1) }, true)
	for _, body := range []any{"y", nil, int64(1), 1.0, true, false, []byte("x"), []any{"x"}, map[string]any{"x": "x"}} {
		f(func(_ plog.ResourceLogs, r plog.LogRecord) { require.NoError(t, r.Body().FromRaw(body)) }, true)
	}
}

func TestEmptiedBatchesStop(t *testing.T) {
	p, sink := start(t, deduplicatingConfig())
	for range 3 {
		require.NoError(t, p.ConsumeLogs(t.Context(), batch(3, 0, func(plog.LogRecord) {})))
	}
	assert.Len(t, sink.AllLogs(), 1)
	empty := plog.NewLogs()
	empty.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()
	require.NoError(t, p.ConsumeLogs(t.Context(), empty))
	require.Len(t, sink.AllLogs(), 2, "what came empty is not ours to remove")
	assert.Equal(t, 1, sink.AllLogs()[1].ResourceLogs().At(0).ScopeLogs().Len())
}

// refusing returns a sink, and the consumer before it that refuses batches while it is told to.
func refusing(t *testing.T, refuse *bool) (*consumertest.LogsSink, consumer.Logs) {
	t.Helper()
	sink := new(consumertest.LogsSink)
	next, err := consumer.NewLogs(func(ctx context.Context, ld plog.Logs) error {
		if *refuse {
			return errors.New("refused")
		}
		return sink.ConsumeLogs(ctx, ld)
	})
	require.NoError(t, err)
	return sink, next
}

// TestRefusedRecordsComeAgain: a sender whose batch is refused sends it again.
func TestRefusedRecordsComeAgain(t *testing.T) {
	refuse := true
	sink, next := refusing(t, &refuse)
	p, err := NewFactory().CreateLogs(t.Context(), processortest.NewNopSettings(metadata.Type), deduplicatingConfig(), next)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	send := func() error {
		ld := batch(3, 0, func(plog.LogRecord) {})
		batch(3, 0, func(plog.LogRecord) {}).ResourceLogs().MoveAndAppendTo(ld.ResourceLogs())
		return p.ConsumeLogs(t.Context(), ld)
	}
	assert.Error(t, send())
	assert.Error(t, send())
	refuse = false
	assert.NoError(t, send())
	assert.NoError(t, send())
	assert.Equal(t, 3, sink.LogRecordCount())
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

// A batch that is refused comes again, with the records of both handlers.
func TestHandlersOfPacksWhenRefused(t *testing.T) {
	refuse := true
	sink, next := refusing(t, &refuse)
	p, err := NewFactory().CreateLogs(t.Context(), processortest.NewNopSettings(metadata.Type), defaultConfig(), next)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	send := func() error {
		ld := tuft(false, nil)
		tuft(true, nil).ResourceLogs().MoveAndAppendTo(ld.ResourceLogs())
		return p.ConsumeLogs(t.Context(), ld)
	}
	assert.Error(t, send())
	assert.Error(t, send())
	refuse = false
	assert.NoError(t, send())
	assert.Equal(t, 1, sink.LogRecordCount())
}

// The setting replaces the windows of packs: 0 removes nothing.
func TestTheSettingReplacesPacks(t *testing.T) {
	cfg := defaultConfig()
	cfg.DedupWindow = new(time.Duration(0))
	p, sink := start(t, cfg)
	require.NoError(t, p.ConsumeLogs(t.Context(), tuft(true, nil)))
	require.NoError(t, p.ConsumeLogs(t.Context(), tuft(false, nil)))
	assert.Equal(t, 2, sink.LogRecordCount())
}
