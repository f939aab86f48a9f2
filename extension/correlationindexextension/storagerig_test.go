// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/tests/indextest"
)

// disk is a storage extension that keeps all in memory, and the host that has it.
type disk struct {
	component.StartFunc
	component.ShutdownFunc
	mu     sync.Mutex // guards all below
	kept   map[string][]byte
	writes int
	full   bool
}

var diskID = component.MustNewID("disk")

func newDisk() *disk { return &disk{kept: map[string][]byte{}} }

// copied is what another process would find now, if this one was killed.
func (d *disk) copied() *disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &disk{kept: maps.Clone(d.kept)}
}

func (d *disk) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{diskID: d}
}

func (d *disk) GetClient(context.Context, component.Kind, component.ID, string) (storage.Client, error) {
	return d, nil
}

func (d *disk) Get(_ context.Context, key string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.kept[key], nil
}

func (d *disk) Set(_ context.Context, key string, value []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full {
		return errors.New("the disk is full")
	}
	d.writes++
	d.kept[key] = slices.Clone(value)
	return nil
}

func (d *disk) Delete(_ context.Context, key string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.kept, key)
	return nil
}

func (d *disk) Batch(context.Context, ...*storage.Operation) error { panic("not used") }

func (d *disk) Close(context.Context) error { return nil }

// written is how often something was stored since it was last asked.
func (d *disk) written() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	writes := d.writes
	d.writes = 0
	return writes
}

func (d *disk) setFull(full bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = full
}

// life is an index between a start and a stop.
type life struct {
	*memory
	t    *testing.T
	logs *observer.ObservedLogs
}

// live starts an index with a disk.
func live(t *testing.T, d component.Host, change func(*Config)) *life {
	t.Helper()
	cfg := with(func(cfg *Config) {
		cfg.MaxMemoryMib = 1
		cfg.Storage = &diskID
		if change != nil {
			change(cfg)
		}
	})
	core, logs := observer.New(zap.InfoLevel)
	set := extensiontest.NewNopSettings(metadata.Type)
	set.ID = component.NewID(metadata.Type)
	set.Logger = zap.New(core)
	e, err := NewFactory().Create(t.Context(), set, cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), d))
	return &life{e.(*memory), t, logs}
}

func (l *life) end() {
	l.t.Helper()
	require.NoError(l.t, l.Shutdown(l.t.Context()))
}

func (l *life) seed() uint64 {
	seed, _ := l.Seed()
	return seed
}

// all is what the index has of keys up to a number.
func (l *life) all(keys int) (texts []string) {
	l.t.Helper()
	for key := range keys {
		texts = append(texts, indextest.Written(indextest.One(l.t, l, indextest.Look(key))))
	}
	return texts
}
