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
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/internal/periodic"
	"github.com/otelcol-tc/otelcol-tc/internal/statefile"
)

const (
	// journalInterval is how much of an index a kill loses.
	journalInterval = time.Second / 8
	// maxSegments is how many segments there are. A new one takes the place of the oldest.
	maxSegments = 256
	// A segment ends after a part of the window, or when it has a part of the index's memory. So maxSegments have all of
	// a full index, even if each member was stored a second time when it was decided.
	segmentsOfWindow = 64
	segmentsOfMemory = 64
	// maxOnDisk is how much all segments take, in parts of the index's memory. With more, the oldest go.
	maxOnDisk = 4
)

// journal stores what changes in an index, so that it survives a restart. The last segment is written again each time.
type journal struct {
	index     *memoryindex.Index
	directory *statefile.Directory
	logger    *zap.Logger
	window    time.Duration // of a segment
	memory    int           // of the index

	segment []byte
	number  int // of the segment
	sizes   [maxSegments]int
	begun   time.Time
	stored  int  // how many bytes of the segment are stored
	failed  bool // to store it the last time

	stop context.CancelFunc
	done sync.WaitGroup
}

// startJournal restores the stored index, and then stores what changes.
func startJournal(ctx context.Context, index *memoryindex.Index, directory *statefile.Directory, cfg *Config, logger *zap.Logger) *journal {
	j := &journal{
		index: index, directory: directory, logger: logger,
		window: cfg.Window / segmentsOfWindow, memory: cfg.MaxMemoryMib << 20,
	}
	j.restore()
	index.Record()
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	j.stop = stop
	j.done.Go(func() {
		periodic.Run(running, journalInterval, func(time.Time) {
			err := j.save()
			if err != nil && !j.failed {
				logger.Warn("What has changed in the index could not be stored, and is tried again", zap.Error(err))
			}
			j.failed = err != nil
		})
	})
	return j
}

// shutdown stores what has changed last.
func (j *journal) shutdown() error {
	j.stop()
	j.done.Wait()
	return errors.Join(j.save(), j.directory.Close())
}

func segmentName(number int) string { return "segment" + strconv.Itoa(number) }

// restore adds the stored segments to the index, and finds the place after the newest. What cannot be read is left out.
func (j *journal) restore() {
	var segments [][]byte
	var failed error
	newest := int64(-1)
	for number := range maxSegments {
		segment, err := j.directory.Read(segmentName(number))
		failed = errors.Join(failed, err)
		if err != nil || segment == nil {
			continue
		}
		segments = append(segments, segment)
		j.sizes[number] = len(segment)
		if end := memoryindex.EndOf(segment); end > newest {
			newest, j.number = end, (number+1)%maxSegments
		}
	}
	if err := errors.Join(failed, j.index.Restore(segments)); err != nil {
		j.logger.Warn("A part of the index is lost, since what was stored of it cannot be read", zap.Error(err))
	}
}

// save stores what has changed.
func (j *journal) save() error {
	if len(j.segment) == 0 {
		j.begun = time.Now()
	}
	j.segment = j.index.AppendChanges(j.segment)
	if len(j.segment) == j.stored {
		return nil
	}
	err := j.directory.Write(segmentName(j.number), j.segment)
	if err == nil {
		j.stored, j.sizes[j.number] = len(j.segment), len(j.segment)
		err = j.makeRoom()
	}
	// A segment that cannot be stored grows no further either.
	if len(j.segment) >= j.memory/segmentsOfMemory || err == nil && time.Since(j.begun) >= j.window {
		j.number, j.segment, j.stored = (j.number+1)%maxSegments, nil, 0
	}
	return err
}

// makeRoom removes the oldest segments while all take too much of the disk.
func (j *journal) makeRoom() error {
	total := 0
	for _, size := range j.sizes {
		total += size
	}
	for i := (j.number + 1) % maxSegments; total > maxOnDisk*j.memory && i != j.number; i = (i + 1) % maxSegments {
		if err := j.directory.Remove(segmentName(i)); err != nil {
			return err
		}
		total -= j.sizes[i]
		j.sizes[i] = 0
	}
	return nil
}

// hashKeyName is the value that has the secret which the stored keys are hashed with.
const hashKeyName = "hash_key"

// keepHashKey replaces a key by the stored one, or else stores it.
func keepHashKey(directory *statefile.Directory, key *correlation.HashKey) error {
	stored, err := directory.Read(hashKeyName)
	if err == nil && len(stored) == len(key) {
		copy(key[:], stored)
		return nil
	}
	if err != nil && !errors.Is(err, statefile.ErrDamaged) {
		return err
	}
	return directory.Write(hashKeyName, key[:])
}
