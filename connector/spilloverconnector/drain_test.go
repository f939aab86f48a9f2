// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/diskqueue"
)

// fill adds metrics to the queue, while the next component is away.
func fill(t *testing.T, cfg *Config, names ...string) {
	t.Helper()
	c := start(t, cfg, &backend{answer: always(errNow)})
	for _, name := range names {
		require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed(name)))
	}
	require.NoError(t, c.Shutdown(t.Context()))
}

// Records are merged, so that draining takes fewer requests than there were.
func TestDrainingMerges(t *testing.T) {
	cfg, b := quick(t.TempDir()), &backend{}
	fill(t, cfg, numbered(0, 200)...)
	start(t, cfg, b)
	eventually(t, func() bool { return len(b.names()) >= 200 })
	assert.Equal(t, numbered(0, 200), b.names())
	assert.Less(t, b.tried(), 10)
}

// The head is not sent any more after the process has died of it three times.
func TestDeaths(t *testing.T) {
	cfg, b := quick(t.TempDir()), &backend{}
	fill(t, cfg, "deadly", "a", "b")
	for range maxDeaths {
		before := cfg.Directory
		q, _, err := diskqueue.Open(diskqueue.Settings{Directory: filepath.Join(before, "spillover", "metrics", "queue"), MaxBytes: mebibyte})
		require.NoError(t, err)
		_, err = q.Begin()
		require.NoError(t, err)
		cfg.Directory = t.TempDir()
		require.NoError(t, os.CopyFS(cfg.Directory, os.DirFS(before))) // what a kill would leave
		require.NoError(t, q.Close())
	}
	start(t, cfg, b)
	eventually(t, func() bool { return len(b.names()) >= 2 })
	assert.Equal(t, []string{"a", "b"}, b.names())
	kept, err := filepath.Glob(filepath.Join(cfg.Directory, "spillover", "metrics", "dead_letter-*.otlp"))
	require.NoError(t, err)
	assert.Len(t, kept, 1)
}

// An attempt that waits for an answer is no reason to set the head aside when somebody kills the process.
func TestWaitingIsNoDeath(t *testing.T) {
	cfg := quick(t.TempDir())
	fill(t, cfg, "a")
	queue := filepath.Join(cfg.Directory, "spillover", "metrics", "queue")
	asked := make(chan struct{}, 100)
	waits := start(t, cfg, &backend{answer: func(ctx context.Context, _ pmetric.Metrics) error {
		asked <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}})
	<-asked
	eventually(t, func() bool {
		copied := t.TempDir()
		if os.CopyFS(copied, os.DirFS(queue)) != nil { // what a kill would leave
			return false
		}
		q, _, err := diskqueue.Open(diskqueue.Settings{Directory: copied, MaxBytes: mebibyte})
		if err != nil {
			return false
		}
		deaths, err := q.Begin()
		return err == nil && deaths == 0 && q.Close() == nil
	})
	require.NoError(t, waits.Shutdown(t.Context()))
}

func TestUndecodable(t *testing.T) {
	cfg, b := quick(t.TempDir()), &backend{}
	q, _, err := diskqueue.Open(diskqueue.Settings{Directory: filepath.Join(cfg.Directory, "spillover", "metrics", "queue"), MaxBytes: mebibyte})
	require.NoError(t, err)
	require.NoError(t, q.Append([]byte("no protobuf"), 1))
	require.NoError(t, q.Close())
	c := start(t, cfg, b)
	require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed("a")))
	eventually(t, func() bool { return len(b.names()) > 0 })
	assert.Equal(t, []string{"a"}, b.names())
}
