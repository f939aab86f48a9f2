package correlationindexextension

import (
	"context"
	"math/bits"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// memory is the index of one collector.
type memory struct {
	config    *Config
	telemetry *metadata.TelemetryBuilder
	snapshots *snapshots // nil without storage
	seed      uint64
	shards    []shard
	origin    time.Time // tick 0
	scratches sync.Pool // of *scratch
}

var (
	_ correlation.Index               = (*memory)(nil)
	_ extensioncapabilities.Dependent = (*memory)(nil)
)

func newMemory(set extension.Settings, cfg *Config, telemetry *metadata.TelemetryBuilder) *memory {
	m := &memory{
		config: cfg, telemetry: telemetry,
		scratches: sync.Pool{New: func() any { return new(scratch) }},
	}
	if cfg.Storage != nil {
		m.snapshots = &snapshots{memory: m, id: set.ID, logger: set.Logger}
	}
	return m
}

// Dependencies implements extensioncapabilities.Dependent: the storage has to be there
// first and last.
func (m *memory) Dependencies() []component.ID {
	if m.config.Storage == nil {
		return nil
	}
	return []component.ID{*m.config.Storage}
}

func (m *memory) Start(ctx context.Context, host component.Host) error {
	m.allocate()
	if m.snapshots != nil {
		if err := m.snapshots.start(ctx, host); err != nil {
			return err
		}
	}
	return m.observe()
}

func (m *memory) Shutdown(ctx context.Context) error {
	m.telemetry.Shutdown()
	if m.snapshots == nil {
		return nil
	}
	return m.snapshots.shutdown(ctx)
}

// Seed implements correlation.Index.
func (m *memory) Seed() (uint64, bool) { return m.seed, true }

// Window implements correlation.Index.
func (m *memory) Window() time.Duration { return m.config.Window }

// TraceIDs implements correlation.Index.
func (m *memory) TraceIDs() bool { return m.config.TraceIds }

// Visit implements correlation.Index. It never fails. Trace states that it finds are
// all that it allocates.
func (m *memory) Visit(ctx context.Context, visits []correlation.Visit, found func(int, correlation.Result)) error {
	now := m.ticks()
	room := m.scratches.Get().(*scratch)
	for first := 0; first < len(visits); first += groupSize {
		m.visitGroup(visits[first:min(first+groupSize, len(visits))], now, room)
		m.handOn(visits, first, now, room, found)
	}
	if room.poisoned > 0 {
		m.telemetry.CorrelationIndexPoisoned.Add(ctx, room.poisoned)
		room.poisoned = 0
	}
	m.scratches.Put(room)
	return nil
}

// shardOf goes by what slots have of a key, so that a snapshot's keys find theirs.
func (m *memory) shardOf(key correlation.Key) uint32 {
	i, _ := bits.Mul64(key.Hi<<16, uint64(len(m.shards)))
	return uint32(i)
}
