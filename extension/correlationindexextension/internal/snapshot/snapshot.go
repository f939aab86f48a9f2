// SPDX-License-Identifier: Apache-2.0

// Package snapshot keeps the memory index in a storage extension, so that it survives a
// restart.
package snapshot

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/memoryindex"
	"github.com/otelcol-tc/otelcol-tc/internal/periodic"
)

// Snapshots stores an index at intervals: one part for each shard that has changed.
type Snapshots struct {
	index  *memoryindex.Index
	client storage.Client
	logger *zap.Logger
	parts  int    // that are stored
	buffer []byte // for the records of a shard
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// Start restores the stored index, and then stores it at each interval.
func Start(ctx context.Context, index *memoryindex.Index, client storage.Client, interval time.Duration, logger *zap.Logger) *Snapshots {
	s := &Snapshots{index: index, client: client, logger: logger}
	s.load(ctx)
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.done.Go(func() { periodic.Run(running, interval, func(time.Time) { s.saveOrLog(running) }) })
	return s
}

// Shutdown stores the index for the last time.
func (s *Snapshots) Shutdown(ctx context.Context) error {
	s.stop()
	s.done.Wait()
	return errors.Join(s.save(ctx), s.client.Close(ctx))
}

func (s *Snapshots) saveOrLog(ctx context.Context) {
	if err := s.save(ctx); err != nil && ctx.Err() == nil {
		s.logger.Warn("A snapshot could not be stored; the next one will be tried", zap.Error(err))
	}
}

// partKey returns a part's key in the storage.
func partKey(i int) string { return "part" + strconv.Itoa(i) }

// load restores the stored parts. If one cannot be read, all are removed, so that they do not
// mix with new ones.
func (s *Snapshots) load(ctx context.Context) {
	parts, err := s.read(ctx)
	if err == nil {
		s.index.Restore(parts)
		return
	}
	err = errors.Join(err, s.trim(ctx, 0))
	s.logger.Warn("The index starts empty, since what was stored of it cannot be read", zap.Error(err))
}

// read reads the parts, and counts them even if one is broken.
func (s *Snapshots) read(ctx context.Context) (parts []*memoryindex.Part, err error) {
	for ; ; s.parts++ {
		b, failed := s.client.Get(ctx, partKey(s.parts))
		if failed != nil || b == nil {
			return parts, errors.Join(err, failed)
		}
		if err != nil {
			continue
		}
		p, broken := Decode(b)
		if broken == nil && s.parts > 0 && p.Seed != parts[0].Seed {
			broken = errors.New("it is of another index")
		}
		if broken != nil {
			err = fmt.Errorf("%s: %w", partKey(s.parts), broken)
		}
		parts = append(parts, p)
	}
}

// trim removes all but the first parts.
func (s *Snapshots) trim(ctx context.Context, keep int) error {
	for ; s.parts > keep; s.parts-- {
		if err := s.client.Delete(ctx, partKey(s.parts-1)); err != nil {
			return err
		}
	}
	return nil
}

// save stores the parts that have changed.
func (s *Snapshots) save(ctx context.Context) error {
	for i := range s.index.Parts() {
		p := s.index.Take(i, &s.buffer)
		if p == nil {
			continue
		}
		if err := s.client.Set(ctx, partKey(i), Encode(p)); err != nil {
			s.index.Keep(i)
			return err
		}
		s.parts = max(s.parts, i+1)
	}
	// The shards may have been more.
	return s.trim(ctx, s.index.Parts())
}
