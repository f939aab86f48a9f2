// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/metadata"
)

// BenchmarkRead measures the cost of a line from the disk to the next component.
func BenchmarkRead(b *testing.B) {
	const lines = 200_000
	dir := b.TempDir()
	line := `2026-11-21T10:00:00.000000001+00:00 I tid=4101 store_daemon_service.cc:412 trace_id=0af7651916cd43dd8448eb211c80319c span_id=b7ad6b7169203331 MaterializeReplicaV2 artifact=mi2:6c device=0` + "\n"
	require.NoError(b, os.WriteFile(filepath.Join(dir, "a.log"), []byte(strings.Repeat(line, lines)), 0o600))
	for b.Loop() {
		cfg := createDefaultConfig().(*Config)
		cfg.Include, cfg.StartAt = []string{filepath.Join(dir, "*.log")}, beginning
		var got atomic.Int64
		next, err := consumer.NewLogs(func(_ context.Context, ld plog.Logs) error { got.Add(int64(ld.LogRecordCount())); return nil })
		require.NoError(b, err)
		r, err := newReceiver(receivertest.NewNopSettings(metadata.Type), cfg, next)
		require.NoError(b, err)
		require.NoError(b, r.Start(context.Background(), componenttest.NewNopHost()))
		for got.Load() < lines-1 {
			time.Sleep(time.Millisecond)
		}
		b.StopTimer()
		require.NoError(b, r.Shutdown(context.Background()))
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/lines, "ns/line")
}
