// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"errors"
	"math"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/memoryindex"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/internal/disk"
	"github.com/otelcol-tc/otelcol-tc/internal/diskqueue"
	"github.com/otelcol-tc/otelcol-tc/internal/statefile"
)

const (
	// maxOnDisk is how much the journal takes, in parts of the index's memory. With more, the oldest goes. It has all of a
	// full index, even if each member was stored a second time when it was decided.
	maxOnDisk = 4
	// A file has a part of the index's memory. What has expired goes after a part of the window.
	filesOfMemory = 64
	partsOfWindow = 64
)

// journal stores what changes in an index before the requests are answered, so that a kill loses nothing of what a sender
// was told is accepted. It does not wait for the disk: the kernel has what a killed process has written.
//
// Invariants, which TestExplore plays against:
//
//   - After a kill between any two calls of the system, the index has what it had at the last answer, or at the next.
//   - What a failed write left out is stored by the next one that succeeds.
//   - A start succeeds whatever is in the directory, also after a power failure, which may lose or damage any part.
type journal struct {
	logger *zap.Logger
	window time.Duration
	file   int // the size of one, in bytes

	mu      sync.Mutex // guards what follows, and keeps the order of changes
	queue   *diskqueue.Queue
	segment []byte    // what the last store failed to write
	trimmed time.Time // the last time
	failed  bool      // the last store
}

// openJournal restores the stored index, and then stores what changes.
func openJournal(index *memoryindex.Index, files disk.FileSystem, directory string, cfg *Config, logger *zap.Logger) (*journal, error) {
	memory := cfg.MaxMemoryMib << 20
	j := &journal{logger: logger, window: cfg.Window, file: memory / filesOfMemory}
	queue, found, err := diskqueue.Open(diskqueue.Settings{
		Directory: directory, MaxBytes: int64(maxOnDisk * memory), SegmentBytes: int64(j.file), Files: files,
	})
	if err != nil {
		return nil, err
	}
	j.queue = queue
	j.restore(index, found)
	index.Record(j.store)
	return j, nil
}

func (j *journal) close() error { return j.queue.Close() }

// restore adds the stored segments to the index. What cannot be read is left out.
func (j *journal) restore(index *memoryindex.Index, found diskqueue.Recovery) {
	segments, failed := j.read()
	if failed == nil && found.Damaged+j.queue.Stats().Damaged > 0 {
		failed = errors.New("the journal is damaged")
	}
	if err := errors.Join(failed, found.ReadError, index.Restore(segments)); err != nil {
		j.logger.Warn("A part of the index is lost, since what was stored of it cannot be read", zap.Error(err))
	}
}

// read returns the stored segments. Behind a damaged record the queue reads on when those before it are removed, so they
// are stored again first.
func (j *journal) read() (segments [][]byte, err error) {
	err = j.trim()
	for err == nil {
		var records []diskqueue.Record
		if records, err = j.queue.Peek(math.MaxInt); err != nil {
			break
		}
		segments = segments[:0]
		for _, r := range records {
			segments = append(segments, r.Payload)
		}
		if len(records) == 0 || len(records) >= j.queue.Stats().Records {
			break
		}
		for _, segment := range segments {
			err = errors.Join(err, j.queue.Append(segment, 0))
		}
		err = errors.Join(err, j.queue.Remove(len(records)))
	}
	return segments, err
}

// store stores what a request has changed. If that fails, the next one tries it again.
func (j *journal) store(changes memoryindex.Changes) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.segment = changes.Append(j.segment)
	if len(j.segment) == 0 {
		return // another request has stored it
	}
	err := j.append()
	if err == nil || len(j.segment) > j.file {
		j.segment = j.segment[:0]
	}
	if err != nil && !j.failed {
		j.logger.Warn("What has changed in the index could not be stored, and is tried again", zap.Error(err))
	}
	j.failed = err != nil
	if cap(j.segment) > j.file {
		j.segment = nil
	}
}

func (j *journal) append() error {
	if time.Since(j.trimmed) > j.window/partsOfWindow {
		if err := j.trim(); err != nil {
			return err
		}
	}
	for {
		err := j.queue.Append(j.segment, 0)
		if !errors.Is(err, diskqueue.ErrFull) || j.queue.Empty() {
			return err
		}
		if _, err := j.removeBefore(time.Now()); err != nil {
			return err
		}
	}
}

// trim removes what has expired.
func (j *journal) trim() error {
	j.trimmed = time.Now()
	for {
		if more, err := j.removeBefore(j.trimmed.Add(-j.window)); !more || err != nil {
			return err
		}
	}
}

// removeBefore removes segments that are older, at most as many as a file has. It reports whether there may be more.
func (j *journal) removeBefore(end time.Time) (more bool, err error) {
	if oldest := j.queue.Stats().Oldest; oldest.IsZero() || !oldest.Before(end) {
		return false, nil
	}
	n, err := j.queue.RemoveWhile(j.file, func(r diskqueue.Record) bool { return r.Time.Before(end) })
	return n > 0, err
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
