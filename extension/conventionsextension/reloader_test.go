// SPDX-License-Identifier: Apache-2.0

package conventionsextension

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
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	packs "github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/extension/conventionsextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/tests/owntelemetry"
)

// files is a folder with settings and packs.
type files struct {
	t      *testing.T
	folder string
}

func (f files) path(name string) string { return filepath.Join(f.folder, name) }

func (f files) write(name, text string) {
	require.NoError(f.t, os.WriteFile(f.path(name), []byte(text), 0o600))
}

// create returns an extension with the settings of a file.
func (f files) create(telemetry component.TelemetrySettings) *conventions {
	factory := NewFactory()
	cfg := factory.CreateDefaultConfig().(*policy.Config)
	cfg.Settings = f.path("conventions.yaml")
	require.NoError(f.t, cfg.Validate())
	e, err := factory.Create(f.t.Context(), extension.Settings{ID: component.NewID(metadata.Type), TelemetrySettings: telemetry}, cfg)
	require.NoError(f.t, err)
	f.t.Cleanup(func() { require.NoError(f.t, e.Shutdown(context.Background())) })
	return e.(*conventions)
}

// watched is a host that knows the last status.
type watched struct {
	component.Host
	last atomic.Pointer[componentstatus.Event]
}

func (w *watched) Report(event *componentstatus.Event) { w.last.Store(event) }

// TestFilesThatChange checks that changed files are applied or refused as a whole, and that what is refused is shown
// until it is mended.
func TestFilesThatChange(t *testing.T) {
	f := files{t, t.TempDir()}
	settings, pack := "conventions.yaml", "shop.yaml"
	f.write(settings, "mode: audit\npacks: [shop.yaml, tuft]\n")
	f.write(pack, "system: shop\nowns: {metrics: [shop_*]}\n")

	telemetry := componenttest.NewTelemetry()
	t.Cleanup(func() { require.NoError(t, telemetry.Shutdown(context.Background())) })
	core, logged := observer.New(zap.ErrorLevel)
	set := telemetry.NewTelemetrySettings()
	set.Logger = zap.New(core, zap.AddStacktrace(zap.ErrorLevel))
	c := f.create(set)
	host := &watched{Host: componenttest.NewNopHost()}
	require.NoError(t, c.Start(t.Context(), host))
	poll := func() { c.reloader.poll(t.Context()) }

	first := c.Reloads()
	require.Len(t, first.Files, 2)
	assert.Equal(t, 1, first.Generation)
	poll()
	assert.Equal(t, first, c.Reloads(), "nothing has changed")

	f.write(settings, "mode: enforce\npacks: [shop.yaml, tuft]\nservices:\n  old: {mode: audit}\n")
	poll()
	assert.Equal(t, 2, c.Reloads().Generation)
	assert.False(t, c.live.Policy().Audit("shop"))
	assert.True(t, c.live.Policy().Audit("old"))
	assert.NotEqual(t, first.Files, c.Reloads().Files)

	// Neither of two files is applied if one has a fault.
	f.write(settings, "mode: audit\npacks: [shop.yaml, tuft]\n")
	f.write(pack, "system: shop\nowns: {metrics: [shop_*]}\nmetric: {}\n")
	poll()
	refused := c.Reloads()
	assert.Equal(t, 2, refused.Generation)
	assert.Contains(t, refused.Refused, f.path(pack)+":3: ")
	assert.False(t, c.live.Policy().Audit("shop"))
	poll()
	assert.Equal(t, refused, c.Reloads(), "it is refused once")
	assert.Equal(t, componentstatus.StatusRecoverableError, host.last.Load().Status())
	assert.ErrorContains(t, host.last.Load().Err(), f.path(pack)+":3: ")

	f.write(pack, "system: shop\nowns: {metrics: [shop_*]}\nlogs: {formats: [{name: shop, lines: ['{severity} shop {body}']}]}\n")
	poll()
	mended := c.Reloads()
	assert.Equal(t, 3, mended.Generation)
	assert.Empty(t, mended.Refused)
	assert.Equal(t, componentstatus.StatusOK, host.last.Load().Status())
	require.Len(t, mended.Restart, 1)
	assert.Contains(t, mended.Restart[0], "logs.formats")
	assert.True(t, c.live.Policy().Audit("shop"))

	// The log has all faults in one line, and no stack.
	f.write(settings, "mode: strict\nprefix: TC\n")
	poll()
	entry := logged.All()[logged.Len()-1]
	assert.Empty(t, entry.Stack)
	assert.Regexp(t, `^\S+:1: mode: must .*; \S+:2: prefix: must .*$`, entry.ContextMap()["error"])
	f.write(settings, "mode: audit\npacks: [shop.yaml, tuft]\n")
	poll()

	// What reads or compiles files may panic, and the collector goes on.
	assert.EqualError(t, recovered(func() error { panic("a bug") }), "cannot be used: a bug")

	// A file that is gone takes nothing with it.
	require.NoError(t, os.Remove(f.path(pack)))
	poll()
	assert.Contains(t, c.Reloads().Refused, "no such file")
	assert.Len(t, c.live.Policy().Packs(), 2)

	for _, outcome := range []string{"applied", "refused"} {
		assert.EqualValues(t, 3, owntelemetry.Sum(telemetry, "otelcol_conventions_reloads", "outcome", outcome), outcome)
	}
}

// TestFileThatHangs checks that a read that does not end, as on a network file system that is away, stops neither the
// files beside it nor the shutdown, and that its file is read once it answers again.
func TestFileThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := files{t, t.TempDir()}
		f.write("conventions.yaml", "packs: [far.yaml, near.yaml]\n")
		f.write("far.yaml", "system: far1\nowns: {metrics: [far_*]}\n")
		f.write("near.yaml", "system: near1\nowns: {metrics: [near_*]}\n")
		c := f.create(componenttest.NewNopTelemetrySettings())
		host := &watched{Host: componenttest.NewNopHost()}
		require.NoError(t, c.Start(t.Context(), host))
		var away atomic.Bool
		answers := make(chan struct{})
		read := c.reloader.reader.read
		c.reloader.reader.read = func(path string) ([]packs.File, error) {
			if away.Load() && path == f.path("far.yaml") {
				<-answers
			}
			return read(path)
		}
		systems := func() (names []string) {
			for _, pack := range c.live.Policy().Packs() {
				names = append(names, pack.System)
			}
			return names
		}
		require.NoError(t, c.Ready())
		away.Store(true)
		f.write("far.yaml", "system: far2\nowns: {metrics: [far_*]}\n")
		f.write("near.yaml", "system: near2\nowns: {metrics: [near_*]}\n")
		time.Sleep(patience + 2*pollInterval)
		assert.Equal(t, []string{"far1", "near2"}, systems())
		assert.ErrorContains(t, host.last.Load().Err(), "do not answer, and what they had stays: "+f.path("far.yaml"))
		f.write("near.yaml", "system: near3\nowns: {metrics: [near_*]}\n")
		time.Sleep(2 * pollInterval)
		assert.Equal(t, []string{"far1", "near3"}, systems(), "at once: nobody waits a second time")

		// It is read again although the first read never ends.
		away.Store(false)
		time.Sleep(firstRetry)
		assert.Equal(t, []string{"far2", "near3"}, systems())
		assert.Equal(t, componentstatus.StatusOK, host.last.Load().Status())

		away.Store(true)
		time.Sleep(pollInterval)
		began := time.Now()
		require.NoError(t, c.NotReady())
		assert.Less(t, time.Since(began), patience)
		close(answers)
	})
}
