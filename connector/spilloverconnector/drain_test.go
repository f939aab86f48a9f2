// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

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

// What an earlier process left comes first, also if the new process has data at once.
func TestNextProcessSendsTheQueueFirst(t *testing.T) {
	cfg, b := quick(t.TempDir()), &backend{}
	fill(t, cfg, numbered(0, 10)...)
	c := start(t, cfg, b)
	require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed(numbered(10, 20)...)))
	eventually(t, func() bool { return len(b.names()) >= 20 })
	assert.Equal(t, numbered(0, 20), b.names())
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

// Only what is refused leaves the queue, though it was merged with others.
func TestRefusedInTheQueue(t *testing.T) {
	cfg, b := quick(t.TempDir()), &backend{}
	fill(t, cfg, "a", "bad", "b", "c")
	b.answer = func(_ context.Context, md pmetric.Metrics) error {
		if slices.Contains(namesOf(md), "bad") {
			return errNever
		}
		return nil
	}
	start(t, cfg, b)
	eventually(t, func() bool { return len(b.names()) >= 3 })
	assert.Equal(t, []string{"a", "b", "c"}, b.names())
	assert.Contains(t, deadLetters(t, cfg), `"bad"`)
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
	waits := start(t, cfg, &backend{answer: silent})
	time.Sleep(deathWindow + 500*time.Millisecond)
	copied := t.TempDir()
	require.NoError(t, os.CopyFS(copied, os.DirFS(queue))) // what a kill would leave
	require.NoError(t, waits.Shutdown(t.Context()))
	q, _, err := diskqueue.Open(diskqueue.Settings{Directory: copied, MaxBytes: mebibyte})
	require.NoError(t, err)
	defer func() { require.NoError(t, q.Close()) }()
	deaths, err := q.Begin()
	require.NoError(t, err)
	assert.Zero(t, deaths)
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

// A shutdown does not wait for a next component that does not answer, in any state.
func TestShutdownWhileNextIsSilent(t *testing.T) {
	for _, state := range []string{direct, spilling} {
		cfg, b := quick(t.TempDir()), &backend{answer: silent}
		if state == spilling {
			fill(t, cfg, "a")
		}
		cfg.Patience = time.Minute
		c := start(t, cfg, b)
		accepted := make(chan error, 1)
		consume := func() { accepted <- c.ConsumeMetrics(context.Background(), metricsNamed("b")) }
		if state == spilling {
			consume() // goes to the queue at once
		} else {
			go consume()
		}
		eventually(t, func() bool { return b.tried() > 0 })
		begin := time.Now()
		require.NoError(t, c.Shutdown(context.Background()))
		assert.Less(t, time.Since(begin), 20*time.Second, state)
		require.NoError(t, <-accepted, state)

		after := &backend{}
		start(t, cfg, after)
		eventually(t, func() bool { return slices.Contains(after.names(), "b") })
	}
}
