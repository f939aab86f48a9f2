package correlationindexextension

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/internal/serviceextension"
)

// snapshots keeps the memory backend in a storage extension: a part for each shard, of
// those that have changed since.
type snapshots struct {
	memory *memory
	id     component.ID
	logger *zap.Logger
	client storage.Client
	parts  int    // that are stored
	buffer []byte // for the records of a shard
	stop   context.CancelFunc
	done   sync.WaitGroup
}

func (s *snapshots) start(ctx context.Context, host component.Host) error {
	extension, err := serviceextension.FindStorage(host, *s.memory.config.Storage)
	if err != nil {
		return err
	}
	if s.client, err = extension.GetClient(ctx, component.KindExtension, s.id, ""); err != nil {
		return fmt.Errorf("storage: must give a client (got %q): %w", s.memory.config.Storage, err)
	}
	s.load(ctx)
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.done.Go(func() { s.run(running) })
	return nil
}

func (s *snapshots) shutdown(ctx context.Context) error {
	if s.client == nil {
		return nil
	}
	s.stop()
	s.done.Wait()
	return errors.Join(s.save(ctx), s.client.Close(ctx))
}

func (s *snapshots) run(ctx context.Context) {
	ticker := time.NewTicker(s.memory.config.SnapshotInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := s.save(ctx); err != nil && ctx.Err() == nil {
				s.logger.Warn("A snapshot could not be stored; the next one will be tried", zap.Error(err))
			}
		}
	}
}

// partKey is a part's key in the storage.
func partKey(i int) string { return "part" + strconv.Itoa(i) }

// load restores what is stored. What cannot be read is removed, so that it does not mix
// with what comes.
func (s *snapshots) load(ctx context.Context) {
	parts, err := s.read(ctx)
	if err == nil {
		if len(parts) > 0 {
			s.memory.seed = parts[0].seed
			s.memory.restore(parts)
		}
		return
	}
	err = errors.Join(err, s.trim(ctx, 0))
	s.logger.Warn("The index starts empty, since what was stored of it cannot be read", zap.Error(err))
}

// read reads the parts, and counts them even if one is broken.
func (s *snapshots) read(ctx context.Context) (parts []*part, err error) {
	for ; ; s.parts++ {
		b, failed := s.client.Get(ctx, partKey(s.parts))
		if failed != nil || b == nil {
			return parts, errors.Join(err, failed)
		}
		if err != nil {
			continue
		}
		p, broken := decodePart(b)
		if broken == nil && s.parts > 0 && p.seed != parts[0].seed {
			broken = errors.New("it is of another index")
		}
		if broken != nil {
			err = fmt.Errorf("%s: %w", partKey(s.parts), broken)
		}
		parts = append(parts, p)
	}
}

// trim removes the parts past a number of them.
func (s *snapshots) trim(ctx context.Context, keep int) error {
	for ; s.parts > keep; s.parts-- {
		if err := s.client.Delete(ctx, partKey(s.parts-1)); err != nil {
			return err
		}
	}
	return nil
}

// save stores what has changed.
func (s *snapshots) save(ctx context.Context) error {
	for i := range s.memory.shards {
		shard := &s.memory.shards[i]
		p := s.take(shard)
		if p == nil {
			continue
		}
		if err := s.client.Set(ctx, partKey(i), p.encode()); err != nil {
			shard.change()
			return err
		}
		s.parts = max(s.parts, i+1)
	}
	// The shards may have been more.
	return s.trim(ctx, len(s.memory.shards))
}

// take copies what a shard holds, unless nothing has changed. The shard is locked for
// the copy only.
func (s *snapshots) take(shard *shard) *part {
	shard.mu.Lock()
	changed := shard.changed
	shard.changed = false
	if changed {
		s.buffer = shard.ring.copyRecords(s.buffer[:0])
	}
	shard.mu.Unlock()
	if !changed {
		return nil
	}
	p := &part{seed: s.memory.seed, time: time.Now(), ticks: uint32(s.memory.ticks())}
	p.records = living(nil, s.buffer, p.ticks, shard.window)
	return p
}

func (s *shard) change() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = true
}
