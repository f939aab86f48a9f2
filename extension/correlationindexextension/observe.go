package correlationindexextension

import (
	"context"
	"errors"
	"math"

	"go.opentelemetry.io/otel/metric"
)

// observe reports what the shards hold whenever it is asked.
func (m *memory) observe() error {
	report := func(of func(*shard) int64) metric.Int64Callback {
		return func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(m.sum(of))
			return nil
		}
	}
	return errors.Join(
		m.telemetry.RegisterCorrelationIndexMembersCallback(report(func(s *shard) int64 { return int64(s.members) })),
		m.telemetry.RegisterCorrelationIndexMemoryCallback(report(func(s *shard) int64 {
			return int64(s.ring.used)*slotSize + int64(s.keys)*entrySize
		})),
		m.telemetry.RegisterCorrelationIndexEvictedCallback(report(func(s *shard) int64 { return int64(s.evicted) })))
}

// sum adds up what the shards have, after what is expired has gone.
func (m *memory) sum(of func(*shard) int64) (total int64) {
	now := m.ticks()
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		s.expire(s.advance(now), math.MaxInt)
		total += of(s)
		s.mu.Unlock()
	}
	return total
}
