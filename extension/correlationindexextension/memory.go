// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/memoryindex"
	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/internal/disk"
	"github.com/otelcol-tc/otelcol-tc/internal/statefile"
)

// configured has the methods of an index that return settings.
type configured struct {
	config  *Config
	hashKey correlation.HashKey
}

// Window implements correlation.Index.
func (c configured) Window() time.Duration { return c.config.Window }

// TraceIDs implements correlation.Index.
func (c configured) TraceIDs() bool { return c.config.TraceIds }

// HashKey implements correlation.Index.
func (c configured) HashKey() correlation.HashKey { return c.hashKey }

// memory is the index of one collector.
type memory struct {
	*memoryindex.Index
	configured
	set       extension.Settings
	telemetry *metadata.TelemetryBuilder
	journal   *journal // nil without a directory
}

var _ correlation.Index = (*memory)(nil)

func (m *memory) Start(ctx context.Context, _ component.Host) error {
	m.Index = memoryindex.New(m.config.MaxMemoryMib, m.config.Window)
	m.OnPoisoned = func(ctx context.Context, keys int64) { m.telemetry.CorrelationIndexPoisoned.Add(ctx, keys) }
	own := m.hashKey == correlation.HashKey{}
	if own {
		_, _ = rand.Read(m.hashKey[:]) // never fails
	}
	if m.config.StateDirectory != "" {
		if err := m.restore(disk.From(ctx), own); err != nil {
			return fmt.Errorf("state_directory: must be one that can be written (got %q): %w", m.config.StateDirectory, err)
		}
	}
	observe := func(value func() int64) metric.Int64Callback {
		return func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(value())
			return nil
		}
	}
	return errors.Join(
		m.telemetry.RegisterCorrelationIndexMembersCallback(observe(m.Members)),
		m.telemetry.RegisterCorrelationIndexMemoryCallback(observe(m.Bytes)),
		m.telemetry.RegisterCorrelationIndexEvictedCallback(observe(m.Evicted)))
}

// restore opens the state directory. Only one process can have its journal open.
func (m *memory) restore(files disk.FileSystem, own bool) error {
	journal, err := openJournal(m.Index, files, filepath.Join(m.config.StateDirectory, "journal"), m.config, m.set.Logger)
	if err != nil {
		return err
	}
	m.journal = journal
	if !own {
		return nil
	}
	directory, err := statefile.Open(statefile.Settings{Path: m.config.StateDirectory, Telemetry: m.set.TelemetrySettings, Files: files})
	if err != nil {
		return err
	}
	return errors.Join(keepHashKey(directory, &m.hashKey), directory.Close())
}

func (m *memory) Shutdown(context.Context) error {
	m.telemetry.Shutdown()
	if m.journal == nil {
		return nil
	}
	return m.journal.close()
}
