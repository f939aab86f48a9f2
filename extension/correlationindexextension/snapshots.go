// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/memoryindex"
	"github.com/otelcol-tc/otelcol-tc/internal/periodic"
	"github.com/otelcol-tc/otelcol-tc/internal/statefile"
)

// snapshots stores an index in a directory at intervals, so that it survives a restart: one value for
// each part that has changed.
type snapshots struct {
	index     *memoryindex.Index
	directory *statefile.Directory
	logger    *zap.Logger
	stored    int    // how many parts there are
	buffer    []byte // for a part
	stop      context.CancelFunc
	done      sync.WaitGroup
}

// startSnapshots restores the stored index, and then stores it at each interval.
func startSnapshots(ctx context.Context, index *memoryindex.Index, directory *statefile.Directory, interval time.Duration, logger *zap.Logger) *snapshots {
	s := &snapshots{index: index, directory: directory, logger: logger}
	s.restore()
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.done.Go(func() {
		periodic.Run(running, interval, func(time.Time) {
			if err := s.save(); err != nil {
				logger.Warn("A snapshot could not be stored; the next one will be tried", zap.Error(err))
			}
		})
	})
	return s
}

// shutdown stores the index for the last time.
func (s *snapshots) shutdown() error {
	s.stop()
	s.done.Wait()
	return errors.Join(s.save(), s.directory.Close())
}

// partName returns the name of a part's value.
func partName(i int) string { return "part" + strconv.Itoa(i) }

// restore adds the stored parts to the index. What cannot be read is left out.
func (s *snapshots) restore() {
	var parts [][]byte
	var failed error
	for ; ; s.stored++ {
		part, err := s.directory.Read(partName(s.stored))
		if err == nil && part == nil {
			break
		}
		if err == nil {
			parts = append(parts, part)
		}
		failed = errors.Join(failed, err)
		if err != nil && !errors.Is(err, statefile.ErrDamaged) {
			break
		}
	}
	if err := errors.Join(failed, s.index.Restore(parts)); err != nil {
		s.logger.Warn("A part of the index is lost, since what was stored of it cannot be read", zap.Error(err))
	}
}

// save stores the parts that have changed, and removes those of an index that had more.
func (s *snapshots) save() error {
	for i := range s.index.Parts() {
		part := s.index.Take(i, &s.buffer)
		if part == nil {
			continue
		}
		if err := s.directory.Write(partName(i), part); err != nil {
			s.index.Keep(i)
			return err
		}
		s.stored = max(s.stored, i+1)
	}
	for ; s.stored > s.index.Parts(); s.stored-- {
		if err := s.directory.Remove(partName(s.stored - 1)); err != nil {
			return err
		}
	}
	return nil
}
