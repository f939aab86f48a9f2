// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// TestConcurrentDuplicates: of records that many senders send at the same time, one
// each goes out, with its ids.
func TestConcurrentDuplicates(t *testing.T) {
	cfg := defaultConfig()
	cfg.DedupWindow = new(10 * time.Second)
	p, sink := start(t, cfg)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 50 {
				ld := batch(20, func(r plog.LogRecord) { r.Body().SetStr(textWithIDs) })
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
