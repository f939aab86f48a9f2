package logcorrelationprocessor

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/metadata"
)

func deduplicatingConfig() *Config {
	cfg := defaultConfig()
	cfg.DedupWindow = 10 * time.Second
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

// TestRefusedRecordsComeAgain: a sender whose batch is refused sends it again.
func TestRefusedRecordsComeAgain(t *testing.T) {
	refuse := true
	sink := new(consumertest.LogsSink)
	next, err := consumer.NewLogs(func(ctx context.Context, ld plog.Logs) error {
		if refuse {
			return errors.New("refused")
		}
		return sink.ConsumeLogs(ctx, ld)
	})
	require.NoError(t, err)
	p, err := NewFactory().CreateLogs(t.Context(), processortest.NewNopSettings(metadata.Type), deduplicatingConfig(), next)
	require.NoError(t, err)
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
