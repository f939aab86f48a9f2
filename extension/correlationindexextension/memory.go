// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/memoryindex"
	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/internal/statefile"
)

// settings are the methods of an index that return settings.
type settings struct{ config *Config }

// Window implements correlation.Index.
func (s settings) Window() time.Duration { return s.config.Window }

// TraceIDs implements correlation.Index.
func (s settings) TraceIDs() bool { return s.config.TraceIds }

// memory is the index of one collector.
type memory struct {
	*memoryindex.Index
	settings
	set       extension.Settings
	telemetry *metadata.TelemetryBuilder
	snapshots *snapshots // nil without a directory
}

var _ correlation.Index = (*memory)(nil)

func (m *memory) Start(ctx context.Context, _ component.Host) error {
	m.Index = memoryindex.New(m.config.MaxMemoryMib, m.config.Window)
	m.OnPoisoned = func(ctx context.Context, keys int64) { m.telemetry.CorrelationIndexPoisoned.Add(ctx, keys) }
	if m.config.StateDirectory != "" {
		directory, err := statefile.Open(statefile.Settings{Path: m.config.StateDirectory, Telemetry: m.set.TelemetrySettings})
		if err != nil {
			return fmt.Errorf("state_directory: must be one that can be written (got %q): %w", m.config.StateDirectory, err)
		}
		m.snapshots = startSnapshots(ctx, m.Index, directory, m.config.SnapshotInterval, m.set.Logger)
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

func (m *memory) Shutdown(context.Context) error {
	m.telemetry.Shutdown()
	if m.snapshots == nil {
		return nil
	}
	return m.snapshots.shutdown()
}
