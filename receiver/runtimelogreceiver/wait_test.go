// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/metadata"
)

// watcher is the readiness extension, as a host.
type watcher struct {
	component.Component
	known atomic.Bool
}

func (w *watcher) PodsKnown() bool { return w.known.Load() }

func (w *watcher) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{component.MustNewID("readiness"): w}
}

// Reading waits until pods are known, and no longer than it may; a receiver that waits stops at once.
func TestReadingWaitsForPods(t *testing.T) {
	f := func(name string, known, until time.Duration, want int) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "x.log"), []byte("line\n"), 0o600))
			synctest.Test(t, func(t *testing.T) {
				cfg := createDefaultConfig().(*Config)
				cfg.Include, cfg.StartAt, cfg.WaitForPods = []string{filepath.Join(dir, "*.log")}, beginning, 15*time.Second
				var sink consumertest.LogsSink
				r, err := newReceiver(receivertest.NewNopSettings(metadata.Type), cfg, &sink)
				require.NoError(t, err)
				host := &watcher{}
				time.AfterFunc(known, func() { host.known.Store(true) })
				require.NoError(t, r.Start(context.Background(), host))
				time.Sleep(until)
				synctest.Wait()
				assert.Equal(t, want, sink.LogRecordCount())
				require.NoError(t, r.Shutdown(context.Background()))
			})
		})
	}
	f("not yet", time.Hour, 14*time.Second, 0)
	f("no longer", time.Hour, 17*time.Second, 1)
	f("known", 3*time.Second, 5*time.Second, 1)
}
