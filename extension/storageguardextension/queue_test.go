// SPDX-License-Identifier: Apache-2.0

package storageguardextension

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// queued is an exporter with the stock queue on disk. It records the times of the points that it sends.
type queued struct {
	exporter.Metrics
	storage extension.Extension

	mu    sync.Mutex
	away  bool // the backend is
	tries int
	got   []int
}

type hostWith map[component.ID]component.Component

func (h hostWith) GetExtensions() map[component.ID]component.Component { return h }

func startQueued(t *testing.T, directory string, consumers int, batch, away bool) *queued {
	t.Helper()
	q := &queued{away: away}
	factory := filestorage.NewFactory()
	storage := factory.CreateDefaultConfig().(*filestorage.Config)
	storage.Directory = directory
	var err error
	q.storage, err = factory.Create(t.Context(), extensiontest.NewNopSettings(factory.Type()), storage)
	require.NoError(t, err)

	cfg, id := exporterhelper.NewDefaultQueueConfig(), component.MustNewID("file_storage")
	cfg.StorageID, cfg.NumConsumers = &id, consumers
	if batch {
		cfg.Batch = configoptional.Some(exporterhelper.BatchConfig{
			FlushTimeout: 10 * time.Millisecond, Sizer: exporterhelper.RequestSizerTypeItems, MinSize: 5, MaxSize: 5,
		})
	}
	set := exportertest.NewNopSettings(component.MustNewType("otlp"))
	set.ID = component.MustNewIDWithName("otlp", "queued")
	q.Metrics, err = exporterhelper.NewMetrics(t.Context(), set, &struct{}{}, q.push,
		exporterhelper.WithQueue(configoptional.Some(cfg)), exporterhelper.WithRetry(configretry.NewDefaultBackOffConfig()))
	require.NoError(t, err)
	require.NoError(t, q.Start(t.Context(), hostWith{id: q.storage}))
	return q
}

func (q *queued) push(_ context.Context, md pmetric.Metrics) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tries++
	if q.away {
		return errors.New("away")
	}
	for _, rm := range md.ResourceMetrics().All() {
		q.got = append(q.got, int(rm.ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().At(0).Timestamp()))
	}
	return nil
}

func (q *queued) send(t *testing.T, time int) {
	t.Helper()
	md := pmetric.NewMetrics()
	p := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptySum().DataPoints().AppendEmpty()
	p.SetTimestamp(pcommon.Timestamp(time))
	require.NoError(t, q.ConsumeMetrics(t.Context(), md))
}

// read returns how often push was called, and what was sent.
func (q *queued) read() (tries int, got []int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.tries, slices.Clone(q.got)
}

func (q *queued) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, q.Shutdown(context.Background()))
	require.NoError(t, q.storage.Shutdown(context.Background()))
}

// TestQueuesKeepTheirOrder stops or kills an exporter in an outage. What it was sending comes first
// after the next start, and the rest behind it. Without the guard it comes last.
func TestQueuesKeepTheirOrder(t *testing.T) {
	const requests = 40
	want := make([]int, requests)
	for i := range want {
		want[i] = i + 1
	}
	for _, test := range []struct {
		name      string
		consumers int
		batch     bool
		killed    bool
		unguarded bool
	}{
		{name: "one consumer", consumers: 1},
		{name: "one consumer, killed", consumers: 1, killed: true},
		{name: "batches", consumers: 1, batch: true},
		{name: "batches, killed", consumers: 1, batch: true, killed: true},
		{name: "ten consumers", consumers: 10},
		{name: "without the guard", consumers: 1, batch: true, unguarded: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			directory := t.TempDir()
			first := startQueued(t, directory, test.consumers, test.batch, true)
			for i := range requests {
				first.send(t, i+1)
			}
			require.Eventually(t, func() bool {
				tries, _ := first.read()
				return tries >= test.consumers
			}, 10*time.Second, time.Millisecond)
			if test.killed {
				directory = copied(t, directory)
			}
			first.stop(t)
			if !test.unguarded {
				_, logs := runGuard(t, directory)
				assert.Equal(t, 1, logs.FilterMessage("Requests that were being sent are again the first of their queue.").Len(), logs.All())
				runGuard(t, directory) // again, with nothing to do
			}
			second := startQueued(t, directory, 1, test.batch, false)
			second.send(t, requests+1)
			var got []int
			require.Eventually(t, func() bool {
				_, got = second.read()
				return len(got) > requests
			}, 10*time.Second, time.Millisecond)
			second.stop(t)
			if test.unguarded {
				assert.NotEqual(t, append(want, requests+1), got, "exporterhelper keeps the order itself: the guard need not")
				slices.Sort(got)
			}
			assert.Equal(t, append(want, requests+1), got)
		})
	}
}

// copied copies a directory, as it is when its process is killed.
func copied(t *testing.T, directory string) string {
	t.Helper()
	to := t.TempDir()
	names, err := os.ReadDir(directory)
	require.NoError(t, err)
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(directory, name.Name()))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(to, name.Name()), data, 0o600))
	}
	return to
}
