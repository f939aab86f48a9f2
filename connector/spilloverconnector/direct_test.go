// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.uber.org/multierr"

	"github.com/otelcol-tc/otelcol-tc/connector/spilloverconnector/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
)

// segments returns the number of files with queued data.
func segments(t *testing.T, directory string) int {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(directory, "*", "*", "queue", "*.segment"))
	require.NoError(t, err)
	return len(paths)
}

func TestHealthyWritesNothing(t *testing.T) {
	cfg, b := quick(t.TempDir()), &backend{}
	c := start(t, cfg, b)
	for _, name := range numbered(0, 20) {
		require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed(name)))
	}
	assert.Equal(t, numbered(0, 20), b.names())
	assert.Zero(t, segments(t, cfg.Directory))
}

// A component that ignores the end of the context, as the Kafka exporter does, delays neither senders nor the
// shutdown.
func TestNextIgnoresTheContext(t *testing.T) {
	release := make(chan struct{})
	b := &backend{answer: func(context.Context, pmetric.Metrics) error {
		<-release
		return errNow
	}}
	c := start(t, quick(t.TempDir()), b)
	require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed("a")))
	require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed("b")))
	require.NoError(t, c.Shutdown(t.Context()))
	close(release)
}

func TestSenderWithLessPatience(t *testing.T) {
	cfg, b := quick(t.TempDir()), &backend{answer: silent}
	cfg.Patience = time.Hour
	c := start(t, cfg, b)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	require.NoError(t, c.ConsumeMetrics(ctx, metricsNamed("a")))
	b.set(nil)
	eventually(t, func() bool { return len(b.names()) > 0 })
}

// One of two next components refuses, and the other fails for now. With a full queue the sender has to keep its data.
func TestFullAfterAMixedFailure(t *testing.T) {
	cfg, b := quick(t.TempDir()), &backend{}
	cfg.MinFree = 1 << 60 // more than any disk
	b.answer = always(multierr.Append(errNever, consumererror.NewMetrics(errNow, metricsNamed("of another"))))
	c := start(t, cfg, b)
	err := c.ConsumeMetrics(t.Context(), metricsNamed("a"))
	require.ErrorContains(t, err, "never")
	assert.False(t, consumererror.IsPermanent(err))
	var left consumererror.Metrics
	assert.NotErrorAs(t, err, &left)
}

// A sender with next to no time does not send its data and that of others to the queue.
func TestSenderWithoutTime(t *testing.T) {
	cfg, b := quick(t.TempDir()), &backend{}
	cfg.Patience, cfg.Batch.FlushTimeout = time.Minute, 0
	b.answer = func(ctx context.Context, _ pmetric.Metrics) error {
		select {
		case <-time.After(50 * time.Millisecond):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	c := start(t, cfg, b)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.NoError(t, c.ConsumeMetrics(ctx, metricsNamed("a")))
	assert.Equal(t, []string{"a"}, b.names())
	assert.Zero(t, segments(t, cfg.Directory))
}

// Some exporters return a permanent error when the time is over, as prometheus_remote_write does.
func TestSilenceIsNoRefusal(t *testing.T) {
	release := make(chan struct{})
	b := &backend{answer: func(ctx context.Context, _ pmetric.Metrics) error {
		select {
		case <-ctx.Done():
		case <-release: // an attempt of the queue waits longer
		}
		return consumererror.NewPermanent(context.DeadlineExceeded)
	}}
	c := start(t, quick(t.TempDir()), b)
	require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed("a")))
	close(release)
	tries := b.tried()
	eventually(t, func() bool { return b.tried() > tries+1 })
	b.set(nil)
	eventually(t, func() bool { return len(b.names()) > 0 })
	assert.Equal(t, []string{"a"}, b.names())
}

func deadLetters(t *testing.T, cfg *Config) string {
	t.Helper()
	text, err := os.ReadFile(letterPath(cfg))
	require.NoError(t, err)
	return string(text)
}

func letterPath(cfg *Config) string {
	return filepath.Join(cfg.Directory, "spillover", "metrics", "dead_letter.jsonl")
}

// A component that changes what it does not accept does not change what is kept.
func TestNextChangesData(t *testing.T) {
	b := &backend{mutates: true}
	b.answer = func(_ context.Context, md pmetric.Metrics) error {
		md.ResourceMetrics().RemoveIf(func(pmetric.ResourceMetrics) bool { return true })
		return errNow
	}
	c := start(t, quick(t.TempDir()), b)
	require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed("a")))
	b.set(nil)
	eventually(t, func() bool { return len(b.names()) > 0 })
	assert.Equal(t, []string{"a"}, b.names())
}

// The queue is full: senders keep their data, what is in the queue is sent, and there is room again.
func TestFull(t *testing.T) {
	cfg, b := quick(t.TempDir()), &backend{answer: always(errNow)}
	cfg.QueueSize, cfg.Batch.MinSize, cfg.Batch.MaxSize = mebibyte, 1, mebibyte/2
	c := start(t, cfg, b)
	accepted, err := 0, error(nil)
	for err == nil {
		require.Less(t, accepted, 100)
		if err = c.ConsumeMetrics(t.Context(), large(accepted)); err == nil {
			accepted++
		}
	}
	assert.False(t, consumererror.IsPermanent(err), "%v", err)
	assert.Positive(t, accepted)
	b.set(nil)
	eventually(t, func() bool { return len(b.names()) >= accepted })
	assert.Equal(t, numbered(0, accepted), b.names())
	require.NoError(t, c.ConsumeMetrics(t.Context(), large(accepted)))
}

// A request that does not fit into the queue as a whole leaves nothing in it, so that it fits later.
func TestPartsWithoutRoom(t *testing.T) {
	cfg, b := quick(t.TempDir()), &backend{answer: always(errNow)}
	cfg.QueueSize, cfg.Batch.MinSize, cfg.Batch.MaxSize = mebibyte, 1, mebibyte/4
	c := start(t, cfg, b)
	parts := large(100)
	for i := range 4 {
		large(101 + i).ResourceMetrics().MoveAndAppendTo(parts.ResourceMetrics())
	}
	for i := range 7 {
		require.NoError(t, c.ConsumeMetrics(t.Context(), large(i)))
	}
	again := pmetric.NewMetrics()
	parts.CopyTo(again)
	require.Error(t, c.ConsumeMetrics(t.Context(), parts))
	b.set(nil)
	eventually(t, func() bool { return len(b.names()) == 7 && segments(t, cfg.Directory) == 0 })
	require.NoError(t, c.ConsumeMetrics(t.Context(), again))
	assert.Equal(t, append(numbered(0, 7), numbered(100, 105)...), b.names())
}

// large returns a metric of 100 KiB.
func large(number int) pmetric.Metrics {
	md := metricsNamed(numbered(number, number+1)...)
	m := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0)
	m.SetDescription(string(make([]byte, 100<<10)))
	return md
}

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, createDefaultConfig) }

func TestWithoutADirectory(t *testing.T) {
	_, err := NewFactory().CreateTracesToTraces(t.Context(), connectortest.NewNopSettings(metadata.Type), createDefaultConfig(), consumertest.NewNop())
	assert.ErrorIs(t, err, errNoDirectory)
}
